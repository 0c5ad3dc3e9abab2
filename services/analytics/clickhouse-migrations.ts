import { fileURLToPath } from 'node:url';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import {
  type AppliedMigration,
  migrate,
  type MigrationFile,
  readMigrations,
  statementsOf,
} from '../runtime/migrate.ts';
import type { Deployment } from './clickhouse-deployment.ts';

export const CLICKHOUSE_SCHEMAS = fileURLToPath(new URL('../../schemas/clickhouse', import.meta.url));

/** Runs what it is given while nobody else migrates the same tables. */
export type Exclusively = <T>(run: () => Promise<T>) => Promise<T>;

// Its engine stands on a line of its own, as in schemas/clickhouse: `Deployment.statement` wants it so.
const APPLIED_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String, checksum String)
ENGINE = ReplacingMergeTree
ORDER BY number`;

/**
 * Brings the tables and views up to `schemas/clickhouse`. Every statement bears being run twice, also by two processes
 * at once; where there is nothing to do, nothing is written and no lock taken.
 */
export async function migrateClickHouse(
  client: ClickHouseClient,
  { statement }: Pick<Deployment, 'statement'>,
  exclusively: Exclusively = (run) => run(),
): Promise<void> {
  const files = await readMigrations(CLICKHOUSE_SCHEMAS);
  await migrate(
    {
      exclusively: async (run) => ((await appliedIn(client)).length >= files.length ? run() : exclusively(run)),
      applied: () => appliedIn(client),
      apply: (file) => apply(client, file, statement),
    },
    files,
  );
}

async function appliedIn(client: ClickHouseClient): Promise<readonly AppliedMigration[]> {
  const [table] = await rowsOf<{ result: number }>(client, 'EXISTS TABLE schema_migrations');
  if (table?.result !== 1) return [];
  return rowsOf<AppliedMigration>(client, 'SELECT number, name, checksum FROM schema_migrations FINAL');
}

async function apply(client: ClickHouseClient, file: MigrationFile, statement: Deployment['statement']): Promise<void> {
  const { number, name, checksum, sql } = file;
  for (const one of statementsOf(sql)) await client.command({ query: statement(one), clickhouse_settings: DEFINING });
  await client.command({ query: statement(APPLIED_TABLE), clickhouse_settings: DEFINING });
  const query = 'INSERT INTO schema_migrations SELECT {number:UInt32}, {name:String}, {checksum:String}';
  await client.command({ query, query_params: { number, name, checksum } });
}

async function rowsOf<T>(client: ClickHouseClient, query: string): Promise<T[]> {
  const result = await client.query({ query, format: 'JSONEachRow' });
  return result.json<T>();
}

// On a cluster a statement is answered when every replica has run it.
export const DEFINING: ClickHouseSettings = { distributed_ddl_task_timeout: '60' };
