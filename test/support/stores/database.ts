import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import type { PgliteDatabase } from '../../../services/stores/database/pglite/pglite-database.ts';
import { openNewDatabase } from './new-stores.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

/** A migrated database in memory, which the tests of one file share. */
export function sharedDatabase(): () => Database {
  let database: PgliteDatabase | undefined;
  beforeAll(async () => {
    database = await openNewDatabase();
    await migrateDatabase(database);
  });
  afterAll(() => database?.close());
  return () => {
    if (!database) throw new Error('not open yet');
    return database;
  };
}

/** A new, migrated database on a Postgres server for the tests of one file or `describe`. */
export function sharedPostgres(server: string | undefined): () => Database {
  let fresh: FreshDatabase | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    if (server === undefined) throw new Error('skip these tests where there is no server');
    fresh = await freshDatabase(server);
    database = await openDatabase(fresh.url);
    await migrateDatabase(database);
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.drop();
  });
  return () => {
    if (!database) throw new Error('not open yet');
    return database;
  };
}
