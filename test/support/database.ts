import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../services/database/database.ts';
import { migrateDatabase } from '../../services/database/migrate.ts';
import { PgliteDatabase } from '../../services/database/pglite.ts';

/** A migrated database in memory for the tests of one file: starting one takes a second, so they share it. */
export function sharedDatabase(): () => Database {
  let database: PgliteDatabase | undefined;
  beforeAll(async () => {
    database = await PgliteDatabase.openInMemory();
    await migrateDatabase(database);
  });
  afterAll(() => database?.close());
  return () => {
    if (!database) throw new Error('not open yet');
    return database;
  };
}
