/** Events of before the eighth migration: they are moved to another table. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { EMBEDDED, SERVER } from '../../../services/stores/analytics/clickhouse/deployment.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { statementsOf } from '../../../services/runtime/migrate.ts';
import { serverUrl } from '../../servers/server.ts';
import { ask } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';
import { type FreshDatabase, freshDatabase } from '../../support/stores/fresh-database.ts';
import { ANALYTICS_MIGRATIONS, statementsUpTo } from '../../support/stores/older-analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MOVE = statementsOf(ANALYTICS_MIGRATIONS[7]?.sql ?? '');

// Message m-1 came twice on one day, once more on the next, and in a month of its own.
const OLD_ROWS = `INSERT INTO event_rows (project_id, event, user, message_id, timestamp, received_at, session_id, source,
                          properties, properties_text, log_partition, log_offset, message_id_given)
  SETTINGS json_type_escape_dots_in_keys = 1 VALUES
  ('p', 'page', 1, 'm-1', '2026-11-20 12:00:00', '2026-11-20 12:00:00', 's', 'track', '{"a%2Eb":1,"c":{"d":1.5}}', '{"a.b":1,"c":{"d":1.5}}', 0, 1, true),
  ('p', 'page', 1, 'm-1', '2026-11-20 13:00:00', '2026-12-01 12:00:00', '', 'track', '{}', '{}', 0, 7, true),
  ('p', 'page', 1, 'm-1', '2026-11-21 12:00:00', '2026-11-21 12:00:00', '', 'track', '{}', '{}', 0, 8, true),
  ('p', 'page', 2, 'm-1', '1969-05-01 12:00:00', '2026-11-20 12:00:00', '', 'import', '{"a%2Eb":"x"}', '{"a.b":"x"}', 3, 9, false)`;
const LATE_ROW = `INSERT INTO event_rows (project_id, event, user, message_id, timestamp, received_at, properties,
                          properties_text, log_partition, log_offset, message_id_given)
  VALUES ('p', 'late', 3, 'm-2', '2026-11-20 12:00:00', '2026-11-20 12:00:00', '{"e":true}', '{"e":true}', 1, 2, false)`;

const MOVED = [
  'page\t1\tm-1\t2026-11-20 12:00:00.000000\ts\ttrack\t1\t1.5\t{"a.b":1,"c":{"d":1.5}}\t0\t1\t18446744073709551614',
  'page\t1\tm-1\t2026-11-21 12:00:00.000000\t\ttrack\t\t\t{}\t0\t8\t18446744073709551607',
  'page\t2\tm-1\t1969-05-01 12:00:00.000000\t\timport\tx\t\t{"a.b":"x"}\t3\t9\t18446744073709551606',
];
const LATE = 'late\t3\tm-2\t2026-11-20 12:00:00.000000\t\t\t\t\t{"e":true}\t1\t2\t18446744073709551613';

const ALL = `SELECT event, user, message_id, timestamp, session_id, source, toString(properties.\`a%2Eb\`),
    toString(properties.c.d), properties_text, log_partition, log_offset, precedence
  FROM track_rows FINAL ORDER BY event = 'late', user, timestamp FORMAT TSV`;
const byUserIn = (table: string): string =>
  `SELECT user, count() FROM ${table} FINAL GROUP BY user ORDER BY user FORMAT TSV`;
const TABLES = `SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%event_rows%' ORDER BY name FORMAT TSV`;

/** The statements that bring an empty database to before the move. */
function statementsBefore(statement: (sql: string) => string): readonly string[] {
  return [...statementsUpTo(7, statement), OLD_ROWS];
}

test('chDB moves them when it is opened', async () => {
  const folder = await temporaryFolder();
  const engine = new ChdbEngine(join(folder, 'store'));
  for (const sql of statementsBefore(EMBEDDED.statement)) await engine.query('', sql);
  await engine.close();

  const store = await openAnalytics(`chdb:${folder}`);
  onTestFinished(() => store.close());

  const [row] = await ask<{ all: string[] }>(
    store,
    `SELECT groupArray(concat(event, toString(user), message_id, properties_text)) AS all
     FROM (SELECT * FROM track_rows FINAL ORDER BY user, timestamp)`,
  );
  expect(row?.all).toEqual(['page1m-1{"a.b":1,"c":{"d":1.5}}', 'page1m-1{}', 'page2m-1{"a.b":"x"}']);
  expect(await ask(store, `EXISTS TABLE event_rows`)).toEqual([{ result: 0 }]);
});

const server = await serverUrl('clickhouse');

describe.skipIf(server === undefined)('a ClickHouse server', () => {
  let database: FreshDatabase;
  const run = (sql: string): Promise<readonly string[]> => askServer(database.url, sql);
  const open = async (): Promise<void> => (await openAnalytics(database.url)).close();
  beforeEach(async () => {
    database = await freshDatabase(server ?? '');
    for (const sql of statementsBefore(SERVER.statement)) await run(sql);
  });
  afterEach(() => database.drop());

  test('the migration moves every row unchanged', async () => {
    await open();

    expect(await run(ALL)).toEqual(MOVED);
    expect(await run(byUserIn('user_track_rows'))).toEqual(['1\t3', '2\t1']);
    expect(await run(TABLES)).toEqual(['user_event_rows']);
  });

  test.each(MOVE.map((_, done) => [done + 1, MOVE.length]))(
    'a migration that stopped after step %i of %i moves every row once',
    async (done) => {
      for (const sql of MOVE.slice(0, done)) await run(SERVER.statement(sql));

      await open();

      expect(await run(ALL)).toEqual(MOVED);
      expect(await run(byUserIn('user_track_rows'))).toEqual(['1\t3', '2\t1']);
      expect(await run(TABLES)).toEqual(['user_event_rows']);
    },
  );

  test.each([
    'INSERT INTO track_rows',
    'CREATE MATERIALIZED VIEW IF NOT EXISTS user_event',
    'DROP VIEW IF EXISTS user',
  ])('the migration moves what a sink of the version before still inserts before the step %s', async (step) => {
    const at = MOVE.findIndex((sql) => sql.includes(step));
    for (const sql of MOVE.slice(0, at)) await run(SERVER.statement(sql));
    await run(LATE_ROW);
    for (const sql of MOVE.slice(at)) await run(SERVER.statement(sql));

    expect(await run(ALL)).toEqual([...MOVED, LATE]);
    expect(await run(byUserIn('user_event_rows'))).toEqual(['1\t3', '2\t1', '3\t1']);
  });

  test('the rows of a month that has ended become one part', async () => {
    await open();
    await run(`ALTER TABLE track_rows MODIFY SETTING min_age_to_force_merge_seconds = 1`);
    const insert = `INSERT INTO track_rows (project_id, event, user, message_id, timestamp, received_at)
      VALUES ('p', 'e', 1, 'x', '2026-03-05', '2026-03-05')`;
    for (let part = 0; part < 3; part++) await run(insert.replace("'x'", `'x${part}'`));

    await expect
      .poll(
        () =>
          run(`SELECT count(), sum(rows) FROM system.parts
        WHERE active AND database = currentDatabase() AND table = 'track_rows' AND partition = '202603'`),
        { timeout: 30_000 },
      )
      .toEqual(['1\t3']);
  });
});
