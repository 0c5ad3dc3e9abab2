import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  cluster,
  EMBEDDED,
  quotedName,
  SERVER,
  sharded,
} from '../../../../services/stores/analytics/clickhouse/deployment.ts';
import { statementsOf } from '../../../../services/runtime/migrate.ts';

const FOLDER = new URL('../../../../schemas/clickhouse/', import.meta.url);
const STATEMENTS = readdirSync(FOLDER)
  .toSorted()
  .flatMap((file) => statementsOf(readFileSync(new URL(file, FOLDER), 'utf8')));

const TABLE = `-- Why it is.
CREATE TABLE IF NOT EXISTS track_rows
(
    a String -- CREATE TABLE nothing
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY m
ORDER BY (a)`;

const ON_DISK = 'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728';
const blue = cluster({ name: 'blue', insertQuorum: '2' });

test('a table of a server is flushed at each insert and knows repeats; inside this process it is neither', () => {
  expect(SERVER.statement(TABLE)).toBe(`${TABLE}\n${ON_DISK}, non_replicated_deduplication_window = 1000`);
  expect(EMBEDDED.statement(TABLE)).toBe(TABLE);
});

test('a table of a cluster is made on all of it, replicated', () => {
  expect(blue.statement(TABLE)).toBe(`-- Why it is.
CREATE TABLE IF NOT EXISTS track_rows ON CLUSTER \`blue\`
(
    a String -- CREATE TABLE nothing
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}/{shard}', '{replica}', precedence)
PARTITION BY m
ORDER BY (a)
${ON_DISK}, replicated_deduplication_window = 1000`);
});

test('a table of a shard is that of a server; where the shard has replicas, it is replicated by its own statement', () => {
  const options = { name: 'blue', insertQuorum: '2' };

  expect(sharded(options, false).statement(TABLE)).toBe(SERVER.statement(TABLE));
  expect(sharded(options, true).statement(TABLE)).toBe(blue.statement(TABLE).replace(' ON CLUSTER `blue`', ''));
  expect(sharded(options, true).insertSettings).toEqual(blue.insertSettings);
});

test.each([
  ['CREATE TABLE t (a String)\nENGINE = AggregatingMergeTree\nORDER BY a', "{shard}', '{replica}')"],
  ['CREATE OR REPLACE VIEW v AS SELECT 1', 'VIEW v ON CLUSTER `blue` AS'],
  ['CREATE MATERIALIZED VIEW IF NOT EXISTS v TO t AS SELECT 1', 'VIEW IF NOT EXISTS v ON CLUSTER `blue` TO t'],
  ['ALTER TABLE t ADD COLUMN IF NOT EXISTS b String', 'TABLE t ON CLUSTER `blue` ADD'],
  ['DROP VIEW IF EXISTS v', 'IF EXISTS v ON CLUSTER `blue`'],
  ['CREATE OR REPLACE VIEW `a b`.v AS SELECT 1', 'VIEW `a b`.v ON CLUSTER `blue` AS'],
  ['CREATE DATABASE IF NOT EXISTS `a b`', 'EXISTS `a b` ON CLUSTER `blue`'],
  ['TRUNCATE TABLE `a b`.`t` SYNC', '`a b`.`t` ON CLUSTER `blue` SYNC'],
  ['INSERT INTO t VALUES (1)', 'INSERT INTO t VALUES (1)'],
])('the statement %s is adapted to a cluster', (sql, part) => {
  expect(blue.statement(sql)).toContain(part);
});

test('what it does not know how to run on a cluster is refused', () => {
  expect(() => blue.statement('RENAME TABLE track_rows TO rows')).toThrow('RENAME');
});

test.each(STATEMENTS.filter((statement) => !/^INSERT/m.test(statement)))(
  'every definition there is runs on all of a cluster, with replicated tables: %s',
  (statement) => {
    const sql = blue.statement(statement);

    expect(sql.match(/ON CLUSTER/g)).toHaveLength(1);
    expect(sql.match(/ENGINE = (?!Replicated)/g)).toBeNull();
  },
);

test('a replica of a cluster reads all of a table only once it has all of it', () => {
  expect(blue.beforeReading?.('track_rows')).toBe('SYSTEM SYNC REPLICA track_rows');
  expect(SERVER.beforeReading).toBeUndefined();
});

test('an acknowledged insert into a cluster is on as many replicas as asked for', () => {
  expect(blue.insertSettings).toMatchObject({ insert_quorum: '2' });
});

test('a name is quoted', () => {
  expect(quotedName('a`b\\')).toBe('`a\\`b\\\\`');
});
