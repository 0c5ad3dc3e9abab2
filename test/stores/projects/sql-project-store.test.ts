import { describe } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { testProjectStore } from '../../contract/project-store.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase, sharedPostgres } from '../../support/stores/database.ts';

const server = await serverUrl('postgres');

describe('on PGlite', () => {
  testProjectStore('PGlite', emptied(sharedDatabase()));
});

describe.skipIf(server === undefined)('on Postgres', () => {
  testProjectStore('Postgres', emptied(sharedPostgres(server)));
});

/** One database for all tests, emptied for each: a new one takes a second. */
function emptied(database: () => Database) {
  return {
    open: async () => {
      await database().script('truncate projects, api_keys, audiences cascade');
      return new SqlProjectStore(database());
    },
  };
}
