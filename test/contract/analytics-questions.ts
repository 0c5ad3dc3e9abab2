import { describe, expect, test } from 'vitest';
import type { AnalyticsStore } from '../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../services/stores/analytics/columns.ts';
import { columnPath } from '../../services/stores/analytics/json-path.ts';
import { byShard, type Shard } from '../../services/stores/analytics/placement.ts';
import { AMPLE, ask, insert, MessageMaker } from '../support/stores/analytics.ts';

/** How any AnalyticsStore answers questions. */
export function testAnalyticsQuestions(store: () => AnalyticsStore): void {
  test('query parameters arrive unchanged', async () => {
    const texts = ['', "'", '\\', '\\N', "\\'; SELECT 1 -- ", 'tab\tline\nreturn\r', '{x:String}', '🌊', 'null'];
    const numbers = { whole: -9_223_372_036_854_775_808n, double: 0.1, yes: true, user: 2n ** 128n - 1n };

    for (const text of texts) {
      const sql = `SELECT {text:String} AS text, {texts:Array(String)} AS texts, {whole:Int64} AS whole,
                          {double:Float64} AS double, {yes:Bool} AS yes, {user:UInt128} AS user`;
      expect(await ask(store(), sql, { text, texts, ...numbers })).toEqual([
        { text, texts, whole: '-9223372036854775808', double: 0.1, yes: true, user: String(2n ** 128n - 1n) },
      ]);
    }
  });

  test('the rows read and the time taken are told', async () => {
    const answer = await store().ask({ sql: 'SELECT count() AS n FROM numbers(123456)', params: {} }, AMPLE);

    expect(answer).toMatchObject({ rows: [{ n: '123456' }], rowsRead: 123_456 });
    expect(answer.tookMs).toBeGreaterThan(0);
  });

  test.each([
    ['time', 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)', { maxMs: 200 }],
    ['rows', 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)', { maxRowsRead: 1_000_000 }],
    ['memory', 'SELECT length(groupArray(number)) FROM numbers(100000000)', { maxMemoryBytes: 20_000_000 }],
  ])('past its limit of %s a question is QUERY_LIMIT, naming it', async (limit, sql, limits) => {
    const asked = store().ask({ sql, params: {} }, { ...AMPLE, maxRowsRead: 2 ** 52, ...limits });

    await expect(asked).rejects.toMatchObject({ code: 'QUERY_LIMIT', message: expect.stringContaining(limit) });
  });

  test('a question that failed half answered leaves nothing in the answers after it', async () => {
    const sql = 'SELECT number, throwIf(number = 50000) FROM numbers(100000) SETTINGS max_block_size = 1000';

    for (let round = 0; round < 4; round++) {
      await expect(ask(store(), sql)).rejects.toMatchObject({ retryable: true });
      expect(await ask(store(), 'SELECT {n:UInt8} AS n', { n: round })).toEqual([{ n: round }]);
    }
  });

  test.each(['SELEC 1', 'SELECT nothing_of_the_kind FROM events', 'SELECT {missing:String}'])(
    'a wrong question (%s) is STORE_REJECTED',
    async (sql) => {
      await expect(ask(store(), sql)).rejects.toMatchObject({ code: 'STORE_REJECTED' });
    },
  );

  test('a question cannot write', async () => {
    const sql = `INSERT INTO held_ranges SELECT 'topic', 0, 0, 1, ''`;

    await expect(ask(store(), sql)).rejects.toMatchObject({ code: 'STORE_REJECTED' });
  });

  test('heavy queries delay neither inserts nor look-ups', async () => {
    // On a machine that is busy with other things what is quick takes seconds. Then the queries get more of them.
    const limits = [2_000, 8_000, 32_000];
    const rounds: (readonly unknown[])[] = [];
    for (const maxMs of limits) {
      rounds.push(await endedBesideInsert(maxMs));
      if (rounds.at(-1)?.length === 0) break;
    }
    expect(rounds.at(-1)).toEqual([]);
  });

  /** Resolves to what heavy queries of this many ms had come to by the end of an insert and two look-ups. */
  async function endedBesideInsert(maxMs: number): Promise<readonly unknown[]> {
    const maker = new MessageMaker();
    const ended: unknown[] = [];
    const sql = 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)';
    const heavy = [1, 2, 3].map(async () => {
      const limit = store().ask({ sql, params: {} }, { ...AMPLE, maxMs, maxRowsRead: 2 ** 52 });
      await limit.catch((error: unknown) => ended.push(error));
    });

    await insert(store(), [maker.track()]);
    const events = await store().userEvents({ projectId: maker.projectId, userKey: maker.track().userKey, limit: 1 });
    const lookedUp = await store().ask({ sql: 'SELECT 1 AS one', params: {}, isLookUp: true }, AMPLE);

    const before = [...ended];
    expect(events).toHaveLength(1);
    expect(lookedUp.rows).toEqual([{ one: 1 }]);
    await Promise.all(heavy);
    for (const error of ended) expect(error).toMatchObject({ code: 'QUERY_LIMIT' });
    expect(ended).toHaveLength(heavy.length);
    return before;
  }

  test('a look-up about a shard has the users of it, and about one of another placement everybody', async () => {
    const make = new MessageMaker();
    const messages = Array.from({ length: 20 }, (_, index) => make.track({ userId: `u${index}` }));
    await insert(store(), messages);
    const { shards } = await store().placementOf({ projectId: make.projectId });
    const sql = 'SELECT DISTINCT user FROM user_track_rows WHERE project_id = {p:String}';
    const usersOn = async (shard: Shard) => {
      const { rows } = await store().ask({ sql, params: { p: make.projectId }, isLookUp: true, shard }, AMPLE);
      return rows.map(({ user }) => user as string).toSorted();
    };
    const keys = messages.map(({ userKey }) => userKey);

    for (const { shard, users } of byShard(keys, shards))
      expect([shard, await usersOn(shard)]).toEqual([shard, users.map(userNumber).toSorted()]);
    expect(await usersOn({ index: 0, of: shards + 1 })).toEqual(keys.map(userNumber).toSorted());
  });

  describe('properties', () => {
    test('keys that look alike are asked for one by one', async () => {
      const maker = new MessageMaker();
      const paths = [['a.b'], ['a', 'b'], ['a%2Eb'], ['a%252Eb'], ['', 'a'], ['.a'], ['__proto__'], ['a', '']];
      const properties = '{"a.b":1,"a":{"b":2,"":8},"a%2Eb":3,"a%252Eb":4,"":{"a":5},".a":6,"__proto__":7}';
      await insert(store(), [maker.track({ properties })]);

      for (const [index, path] of paths.entries()) {
        const sql = `SELECT getSubcolumn(properties, {path:String}) AS value FROM events WHERE project_id = {p:String}`;
        const [row] = await ask<{ value: string }>(store(), sql, { path: columnPath(path), p: maker.projectId });
        expect([path, Number(row?.value)]).toEqual([path, index + 1]);
      }
    });

    test('what looks like a date or a number stays a string', async () => {
      const maker = new MessageMaker();
      await insert(store(), [maker.track({ properties: '{"day":"2026-01-01","at":"2026-01-01T00:00:00Z","n":"1"}' })]);

      const sql = `SELECT dynamicType(properties.day) AS day, dynamicType(properties.at) AS at, dynamicType(properties.n) AS n
                   FROM events WHERE project_id = {p:String}`;
      expect(await ask(store(), sql, { p: maker.projectId })).toEqual([{ day: 'String', at: 'String', n: 'String' }]);
    });
  });
}
