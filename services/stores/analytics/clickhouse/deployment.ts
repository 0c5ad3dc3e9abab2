/** Where ClickHouse runs: inside this process, as one server, or as a cluster. Pure. */
import type { ClickHouseSettings } from '@clickhouse/client';

/** What differs between them. The SQL in `schemas/clickhouse` is of the plainest form; the others are made from it. */
export interface Deployment {
  /** A statement of `schemas/clickhouse` as it is to be run here. */
  readonly statement: (sql: string) => string;
  /** What is to be run before all of a table is read, so that all is there. */
  readonly beforeReading?: (table: string) => string;
  /** For every insert, beside those that all have. */
  readonly insertSettings: ClickHouseSettings;
  /** Whether an insert that was done before is recognised, by its token, and left out. */
  readonly dropsRepeats: boolean;
  /** How long past its own limit of time a question is waited for: a server may fall silent. */
  readonly graceMs?: number;
}

export const EMBEDDED: Deployment = {
  statement: (sql) => sql,
  // A power cut takes what was not flushed: the same rows are then inserted again, and must not be taken for a repeat.
  insertSettings: { insert_deduplicate: 0 },
  dropsRepeats: false,
};

const GRACE_MS = 10_000;

// A repeat comes right after a failure, one insert a second and table. ClickHouse forgets a token with its partition
// (TRUNCATE, DROP and DETACH PARTITION: what is then inserted again is written), not with rows deleted by a mutation.
const REPEATS_KNOWN = 1_000;

// A power cut must not take what was acknowledged: ClickHouse leaves flushing to the system unless told. What was just
// inserted is a few files a part rather than a hundred, so that there is little to flush (half the time of an insert).
const ON_DISK = `fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = ${128 * 2 ** 20}`;

const DROP_REPEATS: ClickHouseSettings = {
  insert_deduplicate: 1,
  // Each table by itself: an insert that failed between a table and what a view feeds from it is completed.
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

export const SERVER: Deployment = {
  statement: (sql) => withSettings(sql, `${ON_DISK}, non_replicated_deduplication_window = ${REPEATS_KNOWN}`),
  insertSettings: DROP_REPEATS,
  dropsRepeats: true,
  graceMs: GRACE_MS,
};

export interface ClusterOptions {
  /** As `<remote_servers>` of the servers calls it. */
  readonly name: string;
  /** How many replicas must have a part before its insert is acknowledged: `auto` is more than half of them. */
  readonly insertQuorum: string;
}

/**
 * One shard of any number of replicas, each holding everything. The paths name the table rather than its UUID: a replica
 * added later joins by the same statement. The macros `{shard}` and `{replica}` must be set on every server.
 */
export function cluster({ name, insertQuorum }: ClusterOptions): Deployment {
  return {
    statement: (sql) =>
      withSettings(replicated(onCluster(sql, name)), `${ON_DISK}, replicated_deduplication_window = ${REPEATS_KNOWN}`),
    beforeReading: (table) => `SYSTEM SYNC REPLICA ${table}`,
    insertSettings: { ...DROP_REPEATS, insert_quorum: insertQuorum, insert_quorum_timeout: 30_000 },
    dropsRepeats: true,
    graceMs: GRACE_MS,
  };
}

const DEFINITION = /^(CREATE|ALTER|DROP|RENAME|TRUNCATE)\b/im;
// What is defined, up to and with its name.
const HEAD =
  /^((?:CREATE|ALTER|DROP|TRUNCATE)\s+(?:OR\s+REPLACE\s+)?(?:DATABASE|TABLE|MATERIALIZED\s+VIEW|VIEW)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:`[^`]+`|\w+)(?:\.(?:`[^`]+`|\w+))?)/im;
const ENGINE = /^ENGINE = ((?:Replacing|Aggregating)MergeTree)(?:\((\w+)\))?$/m;

function onCluster(sql: string, name: string): string {
  if (!DEFINITION.test(sql)) return sql;
  if (!HEAD.test(sql)) throw new Error(`not known how to run on a whole cluster: ${sql}`);
  return sql.replace(HEAD, (head) => `${head} ON CLUSTER ${quotedName(name)}`);
}

function replicated(sql: string): string {
  return sql.replace(ENGINE, (_, engine: string, argument?: string) => {
    const where = `'/clickhouse/tables/{database}/{table}/{shard}', '{replica}'`;
    return `ENGINE = Replicated${engine}(${where}${argument === undefined ? '' : `, ${argument}`})`;
  });
}

function withSettings(sql: string, settings: string): string {
  return /^ENGINE = /m.test(sql) ? `${sql}\nSETTINGS ${settings}` : sql;
}

/** A name as an identifier in SQL. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;
}

/** A text as a literal in ClickHouse's SQL. */
export function sqlString(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
