import { afterAll, beforeAll } from 'vitest';
import { migrateDatabase } from '../../services/database/migrate.ts';
import { PgliteDatabase } from '../../services/database/pglite.ts';
import { SqlProjectStore } from '../../services/projects/sql-project-store.ts';
import { testProjectStore } from '../contract/project-store.ts';

let database: PgliteDatabase;

// One for all tests, emptied for each: a new one takes a second.
beforeAll(async () => {
  database = await PgliteDatabase.openInMemory();
  await migrateDatabase(database);
});

afterAll(() => database.close());

testProjectStore('PGlite', {
  open: async () => {
    await database.script('truncate projects, api_keys');
    return new SqlProjectStore(database);
  },
});
