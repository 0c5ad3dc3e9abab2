import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import {
  type AppliedMigration,
  checkMigrated,
  migrate,
  MIGRATES,
  type Migration,
  type MigrationFile,
  type MigrationTarget,
  readMigrations,
  statementsOf,
} from '../../../runtime/migrate.ts';
import type { Deployment } from './deployment.ts';

/** Clients of a server and of those that replicate its tables, at least one. */
export type Replicas = readonly [ClickHouseClient, ...ClickHouseClient[]];

export const CLICKHOUSE_SCHEMAS = fileURLToPath(new URL('../../../../schemas/clickhouse', import.meta.url));

type Migrated = Pick<Deployment, 'statement' | 'beforeReading'>;

const ATTEMPTS = 10;
const RETRY_AFTER_MS = 500;

/** Moves rows from one table to another. */
const COPY = /^INSERT INTO [^]*^FROM (\w+)$/m;

/** Runs a function while no other process migrates the same tables. */
export type Exclusively = <T>(run: () => Promise<T>) => Promise<T>;

// Its engine stands on a line of its own, as in schemas/clickhouse: `Deployment.statement` wants it so.
const APPLIED_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String, checksum String)
ENGINE = ReplacingMergeTree
ORDER BY number`;

/**
 * Migrates the tables and views to `schemas/clickhouse`. Every statement can run twice, also in two processes at once
 * (a process that misses a table because another has finished with it starts over). If there is nothing to do, it
 * writes nothing and takes no lock.
 */
export async function migrateClickHouse(
  replicas: Replicas,
  deployment: Migrated,
  exclusively: Exclusively = (run) => run(),
  migration: Migration = MIGRATES,
): Promise<void> {
  const files = await readMigrations(CLICKHOUSE_SCHEMAS);
  const [client] = replicas;
  if (!migration.isOn) return checkMigrated(await appliedIn(client), files, 'analytics');
  const target: MigrationTarget = {
    exclusively: async (run) => ((await appliedIn(client)).length >= files.length ? run() : exclusively(run)),
    applied: () => appliedIn(client),
    apply: (file) => apply(replicas, file, deployment),
  };
  for (let attempt = 1; ; attempt++) {
    try {
      for (const { name } of await migrate(target, files)) migration.note?.(name);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isOfNoTable(error)) throw error;
      await delay(RETRY_AFTER_MS);
    }
  }
}

/** Without a lock, a process that is ahead may drop tables that only the migration needs. */
function isOfNoTable(error: unknown): boolean {
  return error instanceof ClickHouseError && error.type === 'UNKNOWN_TABLE';
}

async function appliedIn(client: ClickHouseClient): Promise<readonly AppliedMigration[]> {
  const [table] = await rowsOf<{ result: number }>(client, 'EXISTS TABLE schema_migrations');
  if (table?.result !== 1) return [];
  return rowsOf<AppliedMigration>(client, 'SELECT number, name, checksum FROM schema_migrations FINAL');
}

/** A definition runs on every replica before the next one does; rows move on the first, from where they are replicated. */
async function apply(
  replicas: Replicas,
  { number, name, checksum, sql }: MigrationFile,
  { statement, beforeReading }: Migrated,
): Promise<void> {
  const [client] = replicas;
  const run = (query: string, on = client) => on.command({ query, clickhouse_settings: DEFINING });
  for (const one of [...statementsOf(sql), APPLIED_TABLE]) {
    const from = COPY.exec(one)?.[1];
    if (from !== undefined && beforeReading !== undefined) await run(beforeReading(from));
    for (const replica of from === undefined ? replicas : [client]) await run(statement(one), replica);
  }
  const query = 'INSERT INTO schema_migrations SELECT {number:UInt32}, {name:String}, {checksum:String}';
  await client.command({ query, query_params: { number, name, checksum } });
}

async function rowsOf<T>(client: ClickHouseClient, query: string): Promise<T[]> {
  const result = await client.query({ query, format: 'JSONEachRow' });
  return result.json<T>();
}

// On a cluster, a statement returns when every replica has run it.
export const DEFINING: ClickHouseSettings = { distributed_ddl_task_timeout: '60', alter_sync: '2' };
