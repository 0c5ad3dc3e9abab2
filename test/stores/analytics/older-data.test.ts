/** What a version before wrote is read by this one, and both kinds of rows stand beside each other. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { EMBEDDED, SERVER } from '../../../services/stores/analytics/clickhouse/deployment.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { statementsUpTo } from '../../support/stores/older-analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The last migration of the version before anonymous ids were recorded. */
const OLDER = 11;

const make = new MessageMaker();
const { projectId } = make;
const userKey = userKeyOf(projectId, 'ada');
const USER = userNumber(userKey);

const ROWS = [
  `INSERT INTO track_rows (project_id, event, user, message_id, timestamp, received_at, session_id, source, properties,
                           properties_text, log_partition, log_offset, message_id_given)
   VALUES ('${projectId}', 'page', ${USER}, 'old', '2026-11-19 12:00:00', '2026-11-19 12:00:00', '', 'track', '{"n":1}',
           '{"n":1}', 0, 1, true)`,
  `INSERT INTO audience_changes (project_id, audience_id, evaluated_at, user, change, user_id, internal_id, version, cause)
   VALUES ('${projectId}', 'aud_1', '2026-11-19 12:00:00', ${USER}, 'entered', 'ada', '${userKey}', 1, 'first')`,
];

async function expectOldAndNew(store: AnalyticsStore): Promise<void> {
  await insert(store, [make.track({ messageId: 'new', event: 'page', anonymousId: 'cookie', properties: '{"n":2}' })]);

  const events = await store.userEvents({ projectId, userKey, limit: 10 });
  expect(events.map(({ messageId, anonymousId, properties }) => [messageId, anonymousId, properties])).toEqual([
    ['new', 'cookie', '{"n":2}'],
    ['old', null, '{"n":1}'],
  ]);
  expect(
    await ask(
      store,
      `SELECT message_id, anonymous_id FROM events WHERE project_id = '${projectId}' ORDER BY message_id`,
    ),
  ).toEqual([
    { message_id: 'new', anonymous_id: 'cookie' },
    { message_id: 'old', anonymous_id: '' },
  ]);
  expect(
    await ask(store, `SELECT user_id, anonymous_id FROM audience_changes WHERE project_id = '${projectId}'`),
  ).toEqual([{ user_id: 'ada', anonymous_id: '' }]);
}

test('chDB opens what a version before anonymous ids wrote', async () => {
  const folder = await temporaryFolder();
  const engine = new ChdbEngine(join(folder, 'store'));
  for (const sql of [...statementsUpTo(OLDER, EMBEDDED.statement), ...ROWS]) await engine.query('', sql);
  await engine.close();

  const store = await openAnalytics(`chdb:${folder}`);
  onTestFinished(() => store.close());

  await expectOldAndNew(store);
});

const server = await serverUrl('clickhouse');

describe.skipIf(server === undefined)('a ClickHouse server', () => {
  test('a ClickHouse server opens what a version before anonymous ids wrote', async () => {
    const database = await freshDatabase(server ?? '');
    onTestFinished(() => database.drop());
    for (const sql of [...statementsUpTo(OLDER, SERVER.statement), ...ROWS]) await askServer(database.url, sql);

    const store = await openAnalytics(database.url);
    onTestFinished(() => store.close());

    await expectOldAndNew(store);
  });
});
