import { afterAll, beforeAll, describe } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { testAnalyticsGenerations } from '../../../contract/analytics-generations.ts';
import { testAnalyticsStore } from '../../../contract/analytics-store.ts';
import { serverUrl } from '../../../servers/server.ts';
import type { FreshDatabase } from '../../../support/fresh-database.ts';
import { freshShards } from '../../../support/fresh-shards.ts';

const shards = await serverUrl('clickhouse-shards');

describe.skipIf(shards === undefined).each(['two', 'three'] as const)('a cluster of %s shards', (cluster) => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshShards(cluster);
  });
  afterAll(() => database.drop());

  testAnalyticsStore(`a cluster of ${cluster} shards`, () => openAnalytics(database.url));
  testAnalyticsGenerations(`a cluster of ${cluster} shards`, () => openAnalytics(database.url));
});
