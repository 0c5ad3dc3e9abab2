import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
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

test.skipIf(!isHere)('a cluster of shards whose tables are up to date is opened without a lock', async () => {
  const database = await freshShards('two');
  onTestFinished(() => database.drop());
  let locks = 0;
  const open = () =>
    openAnalytics(database.url, {
      exclusively: (run) => {
        locks++;
        return run();
      },
    });
  await (await open()).close();
  expect(locks).toBeGreaterThan(0);
  locks = 0;

  await (await open()).close();

  expect(locks).toBe(0);
});
