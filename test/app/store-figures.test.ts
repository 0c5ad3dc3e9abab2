import { expect, onTestFinished, test } from 'vitest';
import { sharedStoresOn } from '../../services/app/stores.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { serverUrl } from '../servers/server.ts';
import { ask, insert, MessageMaker } from '../support/stores/analytics.ts';
import { sharedDatabase } from '../support/stores/database.ts';
import { freshDatabase } from '../support/stores/fresh-database.ts';

const url = await serverUrl('clickhouse');
const database = sharedDatabase();
const BYTES_ON_DISK =
  'SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = currentDatabase()';

test.skipIf(url === undefined)('what analytics takes is that of every generation, whichever is live', async () => {
  const tables = await freshDatabase(url ?? '');
  onTestFinished(() => tables.drop());
  const analytics = await openAnalytics(tables.url);
  onTestFinished(() => analytics.close());
  await analytics.makeGeneration(2);
  const [second, maker] = [await analytics.ofGeneration(2), new MessageMaker()];
  await insert(analytics, [maker.track(), maker.track()]);
  await insert(second, [maker.track()]);
  const bytesOf = async (of: typeof second) => Number((await ask<{ bytes: string }>(of, BYTES_ON_DISK))[0]?.bytes);
  const [first, other] = [await bytesOf(analytics), await bytesOf(second)];

  await database().query(
    `insert into generations (kind, number, state, created_at_ms) values ('analytics', 2, 'built', 0)`,
  );
  await database().query(`update live_generations set number = 2 where kind = 'analytics'`);
  const { figures } = sharedStoresOn(readConfig({}), { database: database(), analytics });

  expect(Math.min(first, other)).toBeGreaterThan(0);
  expect(await figures.analyticsBytes()).toBe(first + other);
});
