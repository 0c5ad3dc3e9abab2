import { describe } from 'vitest';
import { emptiedEndpoints, testEndpointClaims } from '../contract/endpoint-claims.ts';
import { testEndpointOrder } from '../contract/endpoint-order.ts';
import { testEndpointStore } from '../contract/endpoint-store.ts';
import { serverUrl } from '../servers/server.ts';
import { MemoryEndpointStore } from '../support/http/memory-endpoint-store.ts';
import { sharedDatabase, sharedPostgres } from '../support/stores/database.ts';

const postgres = await serverUrl('postgres');

describe('on PGlite', () => {
  const database = sharedDatabase();
  testEndpointStore('PGlite', { open: () => emptiedEndpoints(database()) });
  testEndpointClaims('PGlite', database);
  testEndpointOrder('PGlite', database);
});

describe.skipIf(postgres === undefined)('on Postgres', () => {
  const database = sharedPostgres(postgres);
  testEndpointStore('Postgres', { open: () => emptiedEndpoints(database()) });
  testEndpointClaims('Postgres', database);
  testEndpointOrder('Postgres', database);
});

testEndpointStore('memory', {
  open: async () => ({
    store: new MemoryEndpointStore((project, id) => id.startsWith(`aud_${project}`)),
    project: 'proj_a',
    other: 'proj_b',
    audiences: ['aud_proj_a_1', 'aud_proj_a_2'],
    foreign: 'aud_proj_b_1',
  }),
});
