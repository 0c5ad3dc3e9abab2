/** Where ClickHouse runs: inside this process, as one server, or as a cluster. Pure. */
import type { ClickHouseSettings } from '@clickhouse/client';

/**
 * The differences between them. The SQL in `schemas/clickhouse` has the simplest form; the others are derived from it.
 */
export interface Deployment {
  /** Adapts a statement of `schemas/clickhouse` to this deployment. */
  readonly statement: (sql: string) => string;
  /** The statement to run before a whole table is read, so that the table is complete. */
  readonly beforeReading?: (table: string) => string;
  /** Additional settings for every insert. */
  readonly insertSettings: ClickHouseSettings;
  /** Whether a repeated insert is recognized by its token and skipped. */
  readonly dropsRepeats: boolean;
  /** How long to wait for a query beyond its own time limit, because a server may stop responding. */
  readonly graceMs?: number;
  /** The name of the database with the tables that those of this database refer to. Left out: they are in it. */
  readonly localOf?: (database: string) => string;
  /** Adapts a query where it reads a table of ClickHouse's own, so that all servers are asked. */
  readonly question?: (sql: string) => string;
}

export const EMBEDDED: Deployment = {
  statement: (sql) => sql,
  // A power failure loses what was not flushed. The same rows are then inserted again and must not count as a repeat.
  insertSettings: { insert_deduplicate: 0 },
  dropsRepeats: false,
};

const GRACE_MS = 10_000;

// A repeat follows soon after a failure, and each table has one insert a second. ClickHouse drops a token with its
// partition (after TRUNCATE, DROP and DETACH PARTITION a repeat is written), but not with rows deleted by a mutation.
const REPEATS_KNOWN = 1_000;

// A power failure must not lose acknowledged rows, and by default ClickHouse leaves flushing to the operating system.
// New parts have a few files instead of a hundred, so that there is little to flush (half the time of an insert).
const ON_DISK = `fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = ${128 * 2 ** 20}`;

const DROP_REPEATS: ClickHouseSettings = {
  insert_deduplicate: 1,
  // Deduplicates each table separately, so that a repeat completes an insert that failed between a table and its view.
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

export const SERVER: Deployment = {
  statement: (sql) => withSettings(sql, `${ON_DISK}, non_replicated_deduplication_window = ${REPEATS_KNOWN}`),
  insertSettings: DROP_REPEATS,
  dropsRepeats: true,
  graceMs: GRACE_MS,
};

export interface ClusterOptions {
  /** The name in `<remote_servers>` of the servers. */
  readonly name: string;
  /** How many replicas must have a part before its insert is acknowledged: `auto` is more than half of them. */
  readonly insertQuorum: string;
}

/**
 * One shard with any number of replicas, each with all data. The paths contain the name of the table instead of its
 * UUID, so that a replica added later joins by the same statement. Every server needs the macros `{shard}` and
 * `{replica}`.
 */
export function cluster({ name, insertQuorum }: ClusterOptions): Deployment {
  return {
    statement: (sql) => replicatedStatement(onCluster(sql, name)),
    beforeReading: (table) => `SYSTEM SYNC REPLICA ${table}`,
    insertSettings: { ...DROP_REPEATS, insert_quorum: insertQuorum, insert_quorum_timeout: 30_000 },
    dropsRepeats: true,
    graceMs: GRACE_MS,
  };
}

/**
 * Several shards. The service runs every statement on every server by itself, so a statement is that of one server; where
 * a shard has several replicas, its tables are replicated.
 */
export function sharded({ name, insertQuorum }: ClusterOptions, hasReplicas: boolean): Deployment {
  const one = hasReplicas ? { ...cluster({ name, insertQuorum }), statement: replicatedStatement } : SERVER;
  return {
    ...one,
    localOf,
    question: (sql) =>
      sql
        .replaceAll(/\bsystem\.(?:parts|tables)\b/g, (table) => `clusterAllReplicas(${sqlString(name)}, ${table})`)
        .replaceAll('system.one', `cluster(${sqlString(name)}, system.one)`),
  };
}

/** The name of the database with the tables of a shard, beside that with what refers to all of them. */
export function localOf(database: string): string {
  return `${database}_local`;
}

const DEFINITION = /^(CREATE|ALTER|DROP|RENAME|TRUNCATE)\b/im;
// The beginning of a definition, up to and including the name.
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

function replicatedStatement(sql: string): string {
  return withSettings(replicated(sql), `${ON_DISK}, replicated_deduplication_window = ${REPEATS_KNOWN}`);
}

/** @param settings Added to those that the definition of a table ends with. */
function withSettings(sql: string, settings: string): string {
  if (!/^ENGINE = /m.test(sql)) return sql;
  return /^SETTINGS /m.test(sql) ? `${sql}, ${settings}` : `${sql}\nSETTINGS ${settings}`;
}

/** A name as an identifier in SQL. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;
}

/** A text as a literal in ClickHouse's SQL. */
export function sqlString(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
