import { describe } from 'vitest';
import { emptiedEndpoints, testEndpointClaims } from '../contract/endpoint-claims.ts';
import { testEndpointOrder } from '../contract/endpoint-order.ts';
import { testEndpointStore } from '../contract/endpoint-store.ts';
import { DATABASES } from '../support/stores/tested-databases.ts';

describe.each(DATABASES)('on $name', ({ name, share }) => {
  const database = share();
  testEndpointStore(name, { open: () => emptiedEndpoints(database()) });
  testEndpointClaims(name, database);
  testEndpointOrder(name, database);
});
