import { describe } from 'vitest';
import { testCounts } from '../contract/counts.ts';
import { testProfileStore } from '../contract/profile-store.ts';
import { testSinkPlans } from '../contract/sink-plans.ts';
import { serverUrl } from '../servers/server.ts';
import { sharedDatabase, sharedPostgres } from '../support/database.ts';

const server = await serverUrl('postgres');

describe('on PGlite', () => {
  const database = sharedDatabase();

  testProfileStore('PGlite', database);
  testSinkPlans('PGlite', database);
  testCounts('PGlite', database);
});

describe.skipIf(server === undefined)('on Postgres', () => {
  const database = sharedPostgres(server);

  testProfileStore('Postgres', database);
  testSinkPlans('Postgres', database);
  testCounts('Postgres', database);
});
