import { describe } from 'vitest';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { serverUrl } from '../../servers/server.ts';
import { EMBEDDED, sharedStore } from './analytics-stores.ts';
import { sharedDatabase, sharedPostgres } from './database.ts';
import { testedAnalytics } from './tested-analytics.ts';

/** Tests with both embedded stores; at night with both servers, where there is one of each. */
export async function describeStores(
  title: string,
  describeTests: (analytics: () => AnalyticsStore, database: () => Database) => void,
): Promise<void> {
  const postgres = await serverUrl('postgres');
  for (const tested of await testedAnalytics()) {
    const isEmbedded = tested === EMBEDDED;
    describe.skipIf(!isEmbedded && postgres === undefined)(`${title} in ${tested.name}`, () => {
      describeTests(sharedStore(tested), isEmbedded ? sharedDatabase() : sharedPostgres(postgres));
    });
  }
}
