import { describe } from 'vitest';
import { SqlAudienceStore } from '../../../services/audience/saved/sql-audience-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { MAX_AUDIENCES, testAudienceClaims, testAudienceStore } from '../../contract/audience-store.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase, sharedPostgres } from '../../support/database.ts';
import { MemoryAudienceStore } from '../../support/memory-audience-store.ts';

const server = await serverUrl('postgres');

describe('on PGlite', () => {
  const contract = emptied(sharedDatabase());
  testAudienceStore('PGlite', contract);
  testAudienceClaims('PGlite', contract);
});

describe.skipIf(server === undefined)('on Postgres', () => {
  const contract = emptied(sharedPostgres(server));
  testAudienceStore('Postgres', contract);
  testAudienceClaims('Postgres', contract);
});

testAudienceStore('memory', {
  open: async () => ({ store: new MemoryAudienceStore(MAX_AUDIENCES), project: 'proj_a', other: 'proj_b' }),
});

/** One database for all tests, emptied for each: a new one takes a second. */
function emptied(database: () => Database) {
  return {
    open: async () => {
      await database().script('truncate projects, api_keys, audiences');
      const projects = new SqlProjectStore(database());
      const made = { name: 'Shop', timezone: 'UTC', rateLimit: null };
      const [project, other] = [await projects.createProject(made), await projects.createProject(made)];
      return { store: new SqlAudienceStore(database(), MAX_AUDIENCES), project: project.id, other: other.id };
    },
  };
}
