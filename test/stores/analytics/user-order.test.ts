/** Rows of before the eighteenth migration are moved into the tables in the order of users. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { EMBEDDED, SERVER } from '../../../services/stores/analytics/clickhouse/deployment.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { UserOrder } from '../../../services/stores/analytics/clickhouse/user-order.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { statementsOf } from '../../../services/runtime/migrate.ts';
import { serverUrl } from '../../servers/server.ts';
import { AMPLE, ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { ANALYTICS_MIGRATIONS, statementsUpTo } from '../../support/stores/older-analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const make = new MessageMaker();
const { projectId } = make;
const ADA = userNumber(userKeyOf(projectId, 'ada'));
const EVE = userNumber(userKeyOf(projectId, 'eve'));
const NOBODY = async (): Promise<ReadonlySet<string>> => new Set();
const { signal } = new AbortController();

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

interface Older {
  readonly store: AnalyticsStore;
  readonly run: (sql: string) => Promise<unknown>;
  readonly drop: () => Promise<void>;
}

async function olderChdb(): Promise<Older> {
  const folder = await temporaryFolder();
  const engine = new ChdbEngine(join(folder, 'store'));
  for (const sql of [...statementsUpTo(17, EMBEDDED.statement), ...OLD_ROWS]) await engine.query('', sql);
  await engine.close();
  const store = await openAnalytics(`chdb:${folder}`);
  return { store, run: (sql) => ask(store, sql), drop: () => store.close() };
}

async function olderServer(url: string): Promise<Older> {
  const database = await freshDatabase(url);
  for (const sql of [...statementsUpTo(17, SERVER.statement), ...OLD_ROWS]) await askServer(database.url, sql);
  const store = await openAnalytics(database.url);
  const drop = async (): Promise<void> => {
    await store.close();
    await database.drop();
  };
  return { store, run: (sql) => askServer(database.url, sql), drop };
}

const TIMELINE = ['second', 'old'];

async function timelineOf(store: AnalyticsStore, userId: string): Promise<string[]> {
  const events = await store.userEvents({ projectId, userKey: userKeyOf(projectId, userId), limit: 10 });
  return events.map(({ messageId }) => messageId);
}

async function countIn(store: AnalyticsStore, table: string, where = '1'): Promise<number> {
  const [row] = await ask<{ n: string }>(store, `SELECT count() AS n FROM ${table} FINAL WHERE ${where}`);
  return Number(row?.n);
}

describe('rows of before, in chDB', () => {
  let older: Older;
  beforeEach(async () => {
    older = await olderChdb();
  });
  afterEach(() => older.drop());

  test('they are found while they are not moved, and the tables in the order of users are known to lack them', async () => {
    const { store } = older;

    expect(await store.hasUserOrder({})).toBe(false);
    expect(await countIn(store, 'user_track_rows')).toBe(0);
    expect(await timelineOf(store, 'ada')).toEqual(TIMELINE);
    const viewed = await ask<{ message_id: string }>(
      store,
      `SELECT message_id FROM user_timeline(project = '${projectId}', user_id = 'ada') ORDER BY timestamp DESC`,
    );
    expect(viewed.map((row) => row.message_id)).toEqual(TIMELINE);
  });

  test('all of them are moved, each once, and the old table is empty', async () => {
    const { store } = older;

    await store.completeUserOrder(NOBODY, signal);

    expect(await store.hasUserOrder({})).toBe(true);
    expect(await countIn(store, 'user_event_rows')).toBe(0);
    expect(await countIn(store, 'user_track_rows')).toBe(4);
    expect(await timelineOf(store, 'ada')).toEqual(TIMELINE);
    expect(await ask(store, 'SELECT trait, kind, value FROM user_trait_rows FINAL ORDER BY trait')).toEqual([
      { trait: 'gone', kind: 'deleted', value: '' },
      { trait: 'plan', kind: 'string', value: '"pro"' },
    ]);
    expect(await ask(store, 'SELECT audience_id, change FROM audience_members_by_user FINAL')).toEqual([
      { audience_id: 'aud_1', change: 'left' },
    ]);
  });

  test('what comes meanwhile is there too, and the first copy of a message stays the first', async () => {
    const { store } = older;
    const again = { messageId: 'old', timestamp: BigInt(Date.UTC(2025, 10, 19, 12)) * 1000n };
    await insert(store, [make.track({ ...again, event: 'page', properties: '{"n":3}' })], 20n);
    await insert(store, [make.track({ messageId: 'new', event: 'page' })], 21n);

    const before = await timelineOf(store, 'ada');
    await store.completeUserOrder(NOBODY, signal);

    expect(before).toEqual(['new', ...TIMELINE]);
    expect(await timelineOf(store, 'ada')).toEqual(before);
    expect(await ask(store, "SELECT properties_text FROM user_track_rows FINAL WHERE message_id = 'old'")).toEqual([
      { properties_text: '{"n":1}' },
    ]);
  });

  test('a move that is broken off at any statement is completed by the next', async () => {
    const { store } = older;
    // As often as it takes until one ends by itself.
    for (let statements = 0; !(await store.hasUserOrder({})); statements++) {
      const stopping = new AbortController();
      let left = statements;
      const deleted = async (): Promise<ReadonlySet<string>> => {
        if (left-- === 0) stopping.abort(new Error('broken off, as ordered'));
        return new Set();
      };
      await store.completeUserOrder(deleted, stopping.signal).catch((error: unknown) => {
        expect(String(error)).toContain('broken off, as ordered');
      });
      expect(await timelineOf(store, 'ada')).toEqual(TIMELINE);
    }

    expect(await countIn(store, 'user_track_rows')).toBe(4);
    expect(await countIn(store, 'user_event_rows')).toBe(0);
  });

  test('rows of a project that is deleted while they are moved do not come back', async () => {
    const { store } = older;

    // The deletion of its rows has looked where they are not yet.
    await store.completeUserOrder(async () => new Set(['other']), signal);

    expect(await countIn(store, 'user_track_rows', "project_id = 'other'")).toBe(0);
    expect(await countIn(store, 'user_track_rows')).toBe(3);
  });

  test('a new generation has nothing to move', async () => {
    const { store } = older;
    await store.makeGeneration(2);
    const second = await store.ofGeneration(2);

    await second.completeUserOrder(NOBODY, signal);

    expect(await second.hasUserOrder({})).toBe(true);
    expect(await store.hasUserOrder({})).toBe(false);
  });
});

const clickHouse = await serverUrl('clickhouse');

describe.skipIf(clickHouse === undefined)('rows of before, in a ClickHouse server', () => {
  let older: Older;
  beforeEach(async () => {
    older = await olderServer(clickHouse ?? '');
  });
  afterEach(() => older.drop());

  function orderOf({ store }: Older, deployment: { readonly settlesMs?: number } = {}): UserOrder {
    const questions = { ask: (query: Parameters<AnalyticsStore['ask']>[0]) => store.ask(query, AMPLE) };
    const command = async ({ query, query_params = {} }: { query: string; query_params?: Record<string, unknown> }) => {
      const sql = Object.entries(query_params).reduce(
        (text, [name, value]) => text.replaceAll(new RegExp(`\\{${name}:\\w+\\}`, 'g'), `'${String(value)}'`),
        query,
      );
      await older.run(sql);
      return { query_id: '' } as never;
    };
    return new UserOrder({
      shards: [{ ...questions, client: { command } }],
      ...questions,
      define: async (sql) => void (await older.run(sql)),
      deployment,
    });
  }

  test('they are moved, and rows that come into the old table while they are moved are moved too', async () => {
    let isFirst = true;
    const deleted = async (): Promise<ReadonlySet<string>> => {
      if (isFirst) {
        await older.run(`INSERT INTO user_event_rows (project_id, user, timestamp, message_id, event, received_at, event_name)
          VALUES ('${projectId}', ${EVE}, '2026-02-03 12:00:00', 'late', 'page', '2026-02-03 12:00:00', 'page')`);
      }
      isFirst = false;
      return new Set();
    };

    await orderOf(older).complete(deleted, signal);

    expect(await older.store.hasUserOrder({})).toBe(true);
    expect(await timelineOf(older.store, 'eve')).toEqual(['late', 'third']);
    expect(await timelineOf(older.store, 'ada')).toEqual(TIMELINE);
    expect(await countIn(older.store, 'user_event_rows')).toBe(0);
  });

  test('a migration that stopped after any step is completed, with every row found', async () => {
    const steps = statementsOf(ANALYTICS_MIGRATIONS[17]?.sql ?? '');
    expect(steps.length).toBeGreaterThan(8);
    // All of them again, as where only the record of it was missing.
    for (const sql of steps) await older.run(SERVER.statement(sql));

    await orderOf(older).complete(NOBODY, signal);

    expect(await timelineOf(older.store, 'ada')).toEqual(TIMELINE);
  });
});
