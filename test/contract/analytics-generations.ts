import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnalyticsStore, ForgottenRows } from '../../services/stores/analytics/analytics-store.ts';
import { ClickHouseStore } from '../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { AMPLE, ask, insert, MessageMaker } from '../support/stores/analytics.ts';

/** What any AnalyticsStore must do with generations. `open` opens the same one again and again, one at a time. */
export function testAnalyticsGenerations(name: string, open: () => Promise<AnalyticsStore>): void {
  describe(`${name}, with generations`, () => {
    let store: AnalyticsStore;
    const maker = new MessageMaker();
    const other = new MessageMaker();
    const counted = async (of: AnalyticsStore, projectId: string): Promise<unknown> => {
      const views = ['events', 'sessions', 'profile_traits', 'users', 'profiles'];
      const counts = views.map((view) => `(SELECT count() FROM ${view} WHERE project_id = {p:String}) AS ${view}`);
      const [row] = await ask<Record<string, string>>(of, `SELECT ${counts.join(', ')}`, { p: projectId });
      return views.map((view) => Number(row?.[view]));
    };

    beforeAll(async () => {
      store = await open();
      for (const number of [2, 3]) await store.makeGeneration(number);
    });
    afterAll(() => store.close());

    test('one that was never made cannot be opened', async () => {
      await expect(store.ofGeneration(4)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    test('what is inserted into one is in it alone, through every table and view', async () => {
      const second = await store.ofGeneration(2);
      await insert(second, [maker.track(), maker.track(), maker.identify({ traits: '{"a":1}' }), maker.session()]);
      await insert(store, [maker.track({ messageId: 'only' })]);

      expect(await counted(second, maker.projectId)).toEqual([2, 1, 1, 1, 1]);
      expect(await counted(store, maker.projectId)).toEqual([1, 0, 0, 1, 1]);
      const { projectId } = maker;
      const { userKey } = maker.track();
      expect(await second.userEvents({ projectId, userKey, limit: 10 })).toHaveLength(2);
      expect(await store.userEvents({ projectId, userKey, limit: 10 })).toMatchObject([{ messageId: 'only' }]);
    });

    test('each knows what it holds', async () => {
      const to = { topic: 't', partition: 0, offset: 5n, identity: 'x' };
      await (await store.ofGeneration(2)).insert([{ ...to, from: 0n, to }], new Map());

      expect(await (await store.ofGeneration(2)).ingestedUpTo([to])).toEqual([to]);
      expect(await store.ingestedUpTo([to])).toMatchObject([{ offset: 0n }]);
    });

    test('the plain views show the generation that is live, and each project its own', async () => {
      await insert(await store.ofGeneration(3), [other.track(), other.track(), other.track()]);

      const { projectId } = maker;
      const evaluation = { projectId, audienceId: 'aud_1', at: 1n, version: 1, cause: 'first' } as const;
      const member = `SELECT 1::UInt128 AS user, 'ada' AS user_id, '' AS anonymous_id, '01' AS internal_id, true AS is_in`;
      await store.difference(evaluation, { sql: member, params: {} }, AMPLE);
      await store.finalize(evaluation);

      await store.showGenerations({ all: 2, own: new Map([[other.projectId, 3]]) });
      expect(await counted(store, maker.projectId)).toEqual([2, 1, 1, 1, 1]);
      expect(await counted(store, other.projectId)).toEqual([3, 0, 0, 1, 1]);
      const members = `SELECT user_id FROM audience_members_now(project = {p:String}, audience = 'aud_1')`;
      expect(await ask(store, members, { p: projectId })).toEqual([{ user_id: 'ada' }]);

      await store.showGenerations({ all: 1, own: new Map([[other.projectId, 3]]) });
      expect(await counted(store, maker.projectId)).toEqual([1, 0, 0, 1, 1]);
      expect(await counted(store, other.projectId)).toEqual([3, 0, 0, 1, 1]);

      await store.showGenerations({ all: 1, own: new Map() });
      expect(await counted(store, maker.projectId)).toEqual([1, 0, 0, 1, 1]);
      expect(await counted(store, other.projectId)).toEqual([0, 0, 0, 0, 0]);
    });

    test('the views show what was asked for last, also where several ask at once', async () => {
      for (let round = 0; round < 12; round++)
        await Promise.all([2, 1, 2].map((all) => store.showGenerations({ all, own: new Map() })));

      expect(await counted(store, maker.projectId)).toEqual([2, 1, 1, 1, 1]);
      await store.showGenerations({ all: 1, own: new Map() });
    });

    test('the rows of a project are deleted from one of them alone, and those of others stay', async () => {
      const signal = new AbortController().signal;
      const gone = new MessageMaker();
      const third = await store.ofGeneration(3);
      for (const one of [store, third]) await insert(one, [gone.track(), gone.identify({ traits: '{"a":1}' })]);
      const before = await counted(third, other.projectId);

      expect((await third.forget({ projectId: gone.projectId }, { signal })).length).toBeGreaterThan(5);

      expect(await counted(third, gone.projectId)).toEqual([0, 0, 0, 0, 0]);
      expect(await counted(third, other.projectId)).toEqual(before);
      expect(await counted(store, gone.projectId)).toEqual([1, 0, 1, 1, 1]);
      // The projection of the catalog answers this one.
      const catalog = 'SELECT event, count() FROM track_rows WHERE project_id = {p:String} GROUP BY event';
      expect(await ask(third, catalog, { p: gone.projectId })).toEqual([]);
      expect(await third.forget({ projectId: gone.projectId }, { signal })).toEqual([]);
      expect((await store.forget({ projectId: gone.projectId }, { signal })).length).toBeGreaterThan(5);
    });

    test('old events of a project go by their own time, from one generation, and nothing else goes', async () => {
      const signal = new AbortController().signal;
      const [shop, kept] = [new MessageMaker(), new MessageMaker()];
      const third = await store.ofGeneration(3);
      // Users of every shard, on both sides of the instant, and before 1970 and 2001.
      const times = [-5n, 900_000_000_000_000n, 1_700_000_000_000_000n, 1_700_000_000_000_001n, 1_800_000_000_000_000n];
      const eventsBefore = 1_700_000_000_000_001n;
      const sent = [shop, kept].flatMap((maker) =>
        Array.from({ length: 30 }, (_, i) => maker.track({ userId: `u${i}`, timestamp: times[i % 5]! })),
      );
      for (const one of [store, third]) await insert(one, [...sent, shop.identify({ timestamp: 5n })]);
      const eventsIn = async (one: AnalyticsStore, maker: MessageMaker) =>
        ask(one, 'SELECT count() AS n FROM events WHERE project_id = {p:String}', { p: maker.projectId });
      const whose = { projectId: shop.projectId, eventsBefore };

      expect(allRowsOf(await third.countOf(whose))).toBe(36);
      expect(allRowsOf(await third.forget(whose, { signal }))).toBe(36);

      expect(await eventsIn(third, shop)).toEqual([{ n: '12' }]);
      expect(await eventsIn(third, kept)).toEqual([{ n: '30' }]);
      expect(await eventsIn(store, shop)).toEqual([{ n: '30' }]);
      expect(
        await ask(third, 'SELECT 1 FROM identifies WHERE project_id = {p:String}', { p: shop.projectId }),
      ).toHaveLength(1);
      expect(await third.forget(whose, { signal })).toEqual([]);
      expect(allRowsOf(await store.forget(whose, { signal }))).toBe(36);
    });

    test('the rows of people are seen no more once their deletion is begun, before anything is rewritten', async () => {
      const signal = new AbortController().signal;
      const shop = new MessageMaker();
      const third = await store.ofGeneration(3);
      const ada = { traits: '{"a":1}' };
      await insert(third, [
        shop.track(),
        shop.track(),
        shop.identify(ada),
        shop.session(),
        shop.track({ userId: 'ben' }),
      ]);
      const users = [shop.track().userKey];
      await merges(third, 'STOP');
      try {
        const begun = await third.forget({ projectId: shop.projectId, users }, { signal, waits: false });

        expect(begun).toContainEqual({ table: 'track_rows', user: users[0], rows: 2 });
        expect(await counted(third, shop.projectId)).toEqual([1, 0, 0, 1, 1]);
        const catalog = 'SELECT event, count() AS n FROM track_rows WHERE project_id = {p:String} GROUP BY event';
        expect(await ask(third, catalog, { p: shop.projectId })).toEqual([{ event: 'Order Completed', n: '1' }]);
        expect(await third.countOf({ projectId: shop.projectId, users })).toEqual([]);
        expect(await rowsOnDisk(third, shop.projectId)).toBe('3');
      } finally {
        await merges(third, 'START');
      }

      expect(await third.forget({ projectId: shop.projectId, users }, { signal })).toEqual([]);
      await expect.poll(() => rowsOnDisk(third, shop.projectId), { timeout: 20_000 }).toBe('1');
      expect(await counted(third, shop.projectId)).toEqual([1, 0, 0, 1, 1]);
    });

    test('they are there when it is opened again, and gone once they are dropped', async () => {
      await store.close();
      store = await open();
      const second = await store.ofGeneration(2);
      expect(await counted(second, maker.projectId)).toEqual([2, 1, 1, 1, 1]);

      await store.dropGeneration(2);

      await expect(store.ofGeneration(2)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await expect(second.check()).rejects.toMatchObject({ code: 'STOPPING' });
      await store.dropGeneration(1);
      await store.showGenerations({ all: 3, own: new Map() });
      expect(await counted(store, other.projectId)).toEqual([3, 0, 0, 1, 1]);
      await store.showGenerations({ all: 1, own: new Map() });
      expect(await counted(store, maker.projectId)).toEqual([0, 0, 0, 0, 0]);
      await store.dropGeneration(3);
    });
  });
}

/** Stops ClickHouse from rewriting parts, or lets it go on: in the tables of every server. */
async function merges(store: AnalyticsStore, what: 'STOP' | 'START'): Promise<void> {
  if (!(store instanceof ClickHouseStore)) throw new Error('not ours');
  const [row] = await ask<{ readonly name: string }>(store, 'SELECT currentDatabase() AS name');
  const [local] = await ask<{ readonly name: string }>(
    store,
    `SELECT name FROM system.databases WHERE name IN ('${row?.name}', '${row?.name}_local') ORDER BY name DESC LIMIT 1`,
  );
  for (const table of ['track_rows', 'user_track_rows', 'user_rows', 'identify_rows', 'session_rows', 'trait_rows'])
    await store.define(`SYSTEM ${what} MERGES \`${local?.name}\`.${table}`);
}

/** How many rows of events are on the disk. */
function allRowsOf(found: readonly ForgottenRows[]): number {
  return found.reduce((sum, { rows }) => sum + rows, 0);
}

async function rowsOnDisk(store: AnalyticsStore, projectId: string): Promise<string> {
  const sql = 'SELECT count() AS n FROM track_rows WHERE project_id = {p:String} SETTINGS apply_mutations_on_fly = 0';
  const [row] = await ask<{ readonly n: string }>(store, sql, { p: projectId });
  return row?.n ?? '';
}
