/** Events of before the migration that the catalog needs: what is kept for it is made of them, too. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AnalyticsStore, Query } from '../../../services/stores/analytics/analytics-store.ts';
import {
  eventNamesOf,
  eventNamesQuery,
  propertiesOf,
  propertiesQuery,
} from '../../../services/stores/analytics/catalog.ts';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { EMBEDDED, SERVER } from '../../../services/stores/analytics/clickhouse/deployment.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { AMPLE } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { statementsUpTo } from '../../support/stores/older-analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROWS = 20_000;
const MOST = 10;

const OLD_ROWS = `INSERT INTO track_rows (project_id, event, user, message_id, timestamp, received_at, properties, properties_text,
                          log_partition, log_offset, message_id_given)
  SELECT 'p', 'Ran', number, toString(number), toDateTime64('2026-11-20 12:00:00', 6, 'UTC'), toDateTime64('2026-11-20 12:00:00', 6, 'UTC'),
         '{}', if(number % 4 = 0, '{"a":"x"}', '{"a":1,"b":null}'), 0, number, true
  FROM numbers(${ROWS})`;

/** The statements that bring an empty database to before the migration. */
function statementsBefore(statement: (sql: string) => string): readonly string[] {
  return [...statementsUpTo(15, statement), OLD_ROWS];
}

async function expectCounted(store: AnalyticsStore): Promise<void> {
  const run = async ({ sql, params }: Query): Promise<readonly unknown[]> =>
    (await store.ask({ sql, params }, AMPLE)).rows;
  const names = eventNamesQuery('p', MOST, false);
  const planOf = (): Promise<unknown> => run({ ...names, sql: `EXPLAIN ${names.sql}` }).then(JSON.stringify);

  // Also before it is made of them.
  expect(eventNamesOf(await run(names))).toMatchObject([{ name: 'Ran', count: ROWS }]);
  await expect.poll(planOf, { timeout: 60_000 }).toContain('catalog_counts');

  expect(eventNamesOf(await run(names))).toMatchObject([{ name: 'Ran', count: ROWS }]);
  expect(propertiesOf('Ran', await run(propertiesQuery('p', 'Ran', MOST, false)))).toMatchObject({
    event: { count: ROWS },
    properties: [
      {
        name: 'a',
        count: ROWS,
        types: [
          ['number', (ROWS * 3) / 4],
          ['text', ROWS / 4],
        ],
      },
      { name: 'b', count: (ROWS * 3) / 4, types: [['null', (ROWS * 3) / 4]] },
    ],
  });
}

test('the catalog has events that chDB had before', async () => {
  const folder = await temporaryFolder();
  const engine = new ChdbEngine(join(folder, 'store'));
  for (const sql of statementsBefore(EMBEDDED.statement)) await engine.query('', sql);
  await engine.close();

  const store = await openAnalytics(`chdb:${folder}`);
  onTestFinished(() => store.close());

  await expectCounted(store);
}, 120_000);

const server = await serverUrl('clickhouse');

describe.skipIf(server === undefined)('a ClickHouse server', () => {
  test('the catalog has events that a ClickHouse server had before', async () => {
    const database = await freshDatabase(server ?? '');
    onTestFinished(() => database.drop());
    for (const sql of statementsBefore(SERVER.statement)) await askServer(database.url, sql);

    const store = await openAnalytics(database.url);
    onTestFinished(() => store.close());

    await expectCounted(store);
  }, 120_000);
});
