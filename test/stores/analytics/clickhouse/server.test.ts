import { afterAll, beforeAll, describe } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { testAnalyticsGenerations } from '../../../contract/analytics-generations.ts';
import { testAnalyticsStore } from '../../../contract/analytics-store.ts';
import { serverUrl } from '../../../servers/server.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/stores/fresh-database.ts';

const SERVERS = [
  ['a ClickHouse server', await serverUrl('clickhouse')],
  // Only where somebody has one: the library that the other is made of neither replicates nor runs ON CLUSTER.
  ['a ClickHouse cluster', await serverUrl('clickhouse-cluster')],
] as const;

for (const [name, url] of SERVERS) {
  describe.skipIf(url === undefined)(name, () => {
    let database: FreshDatabase;
    beforeAll(async () => {
      database = await freshDatabase(url ?? '');
    });
    afterAll(() => database.drop());

    testAnalyticsStore(name, () => openAnalytics(database.url));
    testAnalyticsGenerations(name, () => openAnalytics(database.url));
  });
}
