import { fileURLToPath } from 'node:url';
import type { ClickHouseClient } from '@clickhouse/client';
import { migrate, readMigrations, statementsOf, type MigrationTarget } from '../runtime/migrate.ts';

const FOLDER = fileURLToPath(new URL('../../schemas/clickhouse', import.meta.url));

/** Brings the tables and views up to `schemas/clickhouse`. */
export async function migrateClickHouse(client: ClickHouseClient): Promise<void> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String, checksum String)
            ENGINE = ReplacingMergeTree ORDER BY number SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  });
  await migrate(targetOf(client), await readMigrations(FOLDER));
}

function targetOf(client: ClickHouseClient): MigrationTarget {
  return {
    // No lock: every statement bears being run twice, and being run by two at once.
    exclusively: (run) => run(),
    applied: async () => {
      const query = 'SELECT number, name, checksum FROM schema_migrations FINAL';
      const result = await client.query({ query, format: 'JSONEachRow' });
      return result.json<{ number: number; name: string; checksum: string }>();
    },
    apply: async ({ number, name, checksum, sql }) => {
      for (const query of statementsOf(sql)) await client.command({ query });
      const query = 'INSERT INTO schema_migrations SELECT {number:UInt32}, {name:String}, {checksum:String}';
      await client.command({ query, query_params: { number, name, checksum } });
    },
  };
}
