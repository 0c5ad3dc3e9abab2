import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { testAnalyticsGenerations } from '../../../contract/analytics-generations.ts';
import { testAnalyticsStore } from '../../../contract/analytics-store.ts';
import { testJoins } from '../../../contract/joins.ts';
import { TcpProxy } from '../../../faults/tcp-proxy.ts';
import { serverUrl } from '../../../servers/server.ts';
import { insert, MessageMaker } from '../../../support/stores/analytics.ts';
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
    testJoins(name, () => openAnalytics(database.url));
    testAnalyticsGenerations(name, () => openAnalytics(database.url));

    test(`${name} that hangs: closing ends an insert that it does not answer`, { timeout: 30_000 }, async () => {
      const proxy = await TcpProxy.before(database.url);
      onTestFinished(() => proxy.close());
      const store = await openAnalytics(proxy.url);
      proxy.freeze();

      const unanswered = insert(store, [new MessageMaker().track()]);
      const inserting = expect(unanswered).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await store.close();

      await inserting;
    });
  });
}
