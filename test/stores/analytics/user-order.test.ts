/** Rows that version 0.3 had not moved into the tables in the order of users are moved when the store is opened. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { EMBEDDED, SERVER } from '../../../services/stores/analytics/clickhouse/deployment.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { statementsOf } from '../../../services/runtime/migrate.ts';
import { serverUrl } from '../../servers/server.ts';
import { ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';
import { type FreshDatabase, freshDatabase } from '../../support/stores/fresh-database.ts';
import { ANALYTICS_MIGRATIONS, statementsUpTo } from '../../support/stores/older-analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const make = new MessageMaker();
const { projectId } = make;
const ADA = userNumber(userKeyOf(projectId, 'ada'));
const EVE = userNumber(userKeyOf(projectId, 'eve'));

/** Rows of two years and two projects, one message twice. */
const OLD_ROWS = [
  `INSERT INTO track_rows (project_id, event, user, message_id, timestamp, received_at, properties, properties_text,
                           log_partition, log_offset, message_id_given)
   VALUES ('${projectId}', 'page', ${ADA}, 'old', '2025-11-19 12:00:00', '2025-11-19 12:00:00', '{"n":1}', '{"n":1}', 0, 1, true),
          ('${projectId}', 'page', ${ADA}, 'old', '2025-11-19 12:00:00', '2026-01-03 12:00:00', '{"n":2}', '{"n":2}', 0, 5, true),
          ('${projectId}', 'order', ${ADA}, 'second', '2026-02-01 12:00:00', '2026-02-01 12:00:00', '{}', '{}', 0, 6, true),
          ('${projectId}', 'page', ${EVE}, 'third', '2026-02-01 12:00:00', '2026-02-01 12:00:00', '{}', '{}', 0, 7, true),
          ('other', 'page', ${ADA}, 'theirs', '2026-02-01 12:00:00', '2026-02-01 12:00:00', '{}', '{}', 0, 8, true)`,
  `INSERT INTO trait_rows (project_id, trait, user, version, kind, value, text, number, integer)
   VALUES ('${projectId}', 'plan', ${ADA}, 1, 'string', '"free"', 'free', 0, NULL),
          ('${projectId}', 'plan', ${ADA}, 2, 'string', '"pro"', 'pro', 0, NULL),
          ('${projectId}', 'gone', ${ADA}, 3, 'deleted', '', '', 0, NULL)`,
  `INSERT INTO audience_members (project_id, audience_id, user, change, evaluated_at)
   VALUES ('${projectId}', 'aud_1', ${ADA}, 'entered', '2026-02-01 12:00:00'),
          ('${projectId}', 'aud_1', ${ADA}, 'left', '2026-02-02 12:00:00')`,
];

const TIMELINE = ['second', 'old'];

async function timelineOf(store: AnalyticsStore, userId: string): Promise<string[]> {
  const events = await store.userEvents({ projectId, userKey: userKeyOf(projectId, userId), limit: 10 });
  return events.map(({ messageId }) => messageId);
}

async function countIn(store: AnalyticsStore, table: string, where = '1'): Promise<number> {
  const [row] = await ask<{ n: string }>(store, `SELECT count() AS n FROM ${table} FINAL WHERE ${where}`);
  return Number(row?.n);
}

async function expectMoved(store: AnalyticsStore): Promise<void> {
  expect(await timelineOf(store, 'ada')).toEqual(TIMELINE);
  expect(await countIn(store, 'user_event_rows')).toBe(0);
  expect(await ask(store, 'SELECT trait, kind, value FROM user_trait_rows FINAL ORDER BY trait')).toEqual([
    { trait: 'gone', kind: 'deleted', value: '' },
    { trait: 'plan', kind: 'string', value: '"pro"' },
  ]);
  expect(await ask(store, 'SELECT audience_id, change FROM audience_members_by_user FINAL')).toEqual([
    { audience_id: 'aud_1', change: 'left' },
  ]);
}

describe('rows of before, in chDB', () => {
  async function opened(statements: readonly string[]): Promise<AnalyticsStore> {
    const folder = await temporaryFolder();
    const engine = new ChdbEngine(join(folder, 'store'));
    for (const sql of statements) await engine.query('', sql);
    await engine.close();
    const store = await openAnalytics(`chdb:${folder}`);
    onTestFinished(() => store.close());
    return store;
  }

  test('all of them are moved, each once', async () => {
    const store = await opened([...statementsUpTo(17, EMBEDDED.statement), ...OLD_ROWS]);

    await expectMoved(store);
    expect(await countIn(store, 'user_track_rows')).toBe(4);
    const viewed = await ask<{ message_id: string }>(
      store,
      `SELECT message_id FROM user_timeline(project = '${projectId}', user_id = 'ada') ORDER BY timestamp DESC`,
    );
    expect(viewed.map((row) => row.message_id)).toEqual(TIMELINE);
  });

  test('a later copy of a message does not take the place of one that was moved', async () => {
    const store = await opened([...statementsUpTo(17, EMBEDDED.statement), ...OLD_ROWS]);
    const again = { messageId: 'old', timestamp: BigInt(Date.UTC(2025, 10, 19, 12)) * 1000n };

    await insert(store, [make.track({ ...again, event: 'page', properties: '{"n":3}' })], 20n);

    expect(await timelineOf(store, 'ada')).toEqual(TIMELINE);
    expect(await ask(store, "SELECT properties_text FROM user_track_rows FINAL WHERE message_id = 'old'")).toEqual([
      { properties_text: '{"n":1}' },
    ]);
  });

  test('a table that version 0.3 has filled is not filled again', async () => {
    const filled = ['user_track_rows', 'user_trait_rows', 'audience_members_by_user'];
    const store = await opened([
      ...statementsUpTo(19, EMBEDDED.statement),
      ...OLD_ROWS,
      ...filled.map((table) => `ALTER TABLE ${table} MODIFY COMMENT 'complete'`),
      'TRUNCATE TABLE user_trait_rows SYNC',
      'TRUNCATE TABLE audience_members_by_user SYNC',
    ]);

    expect(await Promise.all(filled.map((table) => countIn(store, table)))).toEqual([4, 0, 0]);
  });
});

const clickHouse = await serverUrl('clickhouse');

describe.skipIf(clickHouse === undefined)('rows of before, in a ClickHouse server', () => {
  const steps = statementsOf(ANALYTICS_MIGRATIONS[19]?.sql ?? '');
  let database: FreshDatabase;
  const run = (sql: string): Promise<readonly string[]> => askServer(database.url, sql);
  beforeEach(async () => {
    database = await freshDatabase(clickHouse ?? '');
    for (const sql of [...statementsUpTo(17, SERVER.statement), ...OLD_ROWS]) await run(sql);
  });
  afterEach(() => database.drop());

  async function opened(): Promise<AnalyticsStore> {
    const store = await openAnalytics(database.url);
    onTestFinished(() => store.close());
    return store;
  }

  test('they are moved, and those whose deletion has begun are not', async () => {
    await run('SYSTEM STOP MERGES user_event_rows');
    await run(`ALTER TABLE user_event_rows DELETE WHERE user = toUInt128('${EVE}') SETTINGS mutations_sync = 0`);

    const store = await opened();

    await expectMoved(store);
    expect(await countIn(store, 'user_track_rows')).toBe(3);
    expect(await timelineOf(store, 'eve')).toEqual([]);
  });

  test.each(steps.map((_, done) => [done + 1, steps.length]))(
    'a migration that stopped after step %i of %i moves every row once',
    async (done) => {
      const since18 = ANALYTICS_MIGRATIONS.slice(17, 19).flatMap(({ sql }) => statementsOf(sql));
      for (const sql of [...since18, ...steps.slice(0, done)]) await run(SERVER.statement(sql));

      const store = await opened();

      await expectMoved(store);
      expect(await countIn(store, 'user_track_rows')).toBe(4);
    },
  );
});
