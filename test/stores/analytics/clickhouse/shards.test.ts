import { afterAll, beforeAll, describe } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { testAnalyticsGenerations } from '../../../contract/analytics-generations.ts';
import { testAnalyticsStore } from '../../../contract/analytics-store.ts';
import { serverUrl } from '../../../servers/server.ts';
import type { FreshDatabase } from '../../../support/stores/fresh-database.ts';
import { freshShards } from '../../../support/stores/fresh-shards.ts';

const isHere = (await serverUrl('clickhouse-shards')) !== undefined;

const SUITES = [
  ['two', testAnalyticsStore],
  ['three', testAnalyticsGenerations],
] as const;

describe.skipIf(!isHere).each(SUITES)('ClickHouse in %s shards', (cluster, suite) => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshShards(cluster);
  });
  afterAll(() => database.drop());

  suite(`ClickHouse in ${cluster} shards`, () => openAnalytics(database.url));
});
