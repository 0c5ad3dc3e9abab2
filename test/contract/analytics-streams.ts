import { describe, expect, test } from 'vitest';
import type { AnalyticsStore, Query } from '../../services/stores/analytics/analytics-store.ts';
import { AMPLE } from '../support/stores/analytics.ts';

const NUMBERS: Query = { sql: 'SELECT number AS n FROM numbers({to:UInt64})', params: { to: '300000' } };
const HEAVY: Query = { sql: 'SELECT sum(cityHash64(number)) AS n FROM numbers(1000000000000)', params: {} };
const UNBOUNDED = { ...AMPLE, maxRowsRead: 2 ** 52 };

async function linesOf(stream: AsyncIterable<Uint8Array>): Promise<string[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString().split('\n').slice(0, -1);
}

/** How any AnalyticsStore gives answers of any length. */
export function testAnalyticsStreams(store: () => AnalyticsStore): void {
  describe('streams', () => {
    test('every row comes once, as a line of JSON, numbers as numbers', async () => {
      const lines = await linesOf(await store().stream(NUMBERS, AMPLE));

      expect(lines).toHaveLength(300_000);
      expect(lines[0]).toBe('{"n":0}');
      expect(lines.at(-1)).toBe('{"n":299999}');
    });

    test('texts come as they are', async () => {
      const text = 'a/b "quoted" \\ \n 🌊 \u2028';
      const query = { sql: 'SELECT {text:String} AS text', params: { text } };

      const [line = ''] = await linesOf(await store().stream(query, AMPLE));

      expect(JSON.parse(line)).toEqual({ text });
      expect(line).toContain('a/b');
    });

    test('no rows are an empty stream', async () => {
      expect(await linesOf(await store().stream({ ...NUMBERS, params: { to: '0' } }, AMPLE))).toEqual([]);
    });

    test('a stream that fails half way ends with an error, not as if it were whole', async () => {
      const sql =
        'SELECT number AS n, throwIf(number = 2000000) AS t FROM numbers(3000000) SETTINGS max_block_size = 1000';
      const stream = await store().stream({ sql, params: {} }, AMPLE);

      await expect(linesOf(stream)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    test.each([
      ['time', HEAVY, { maxMs: 200 }],
      ['rows', HEAVY, { maxRowsRead: 1_000_000 }],
      [
        'memory',
        { sql: 'SELECT groupArray(number) AS n FROM numbers(100000000)', params: {} },
        { maxMemoryBytes: 2e7 },
      ],
    ])('past its limit of %s no stream is begun, and the limit is told', async (limit, query, limits) => {
      const asked = store().stream(query, { ...UNBOUNDED, ...limits });

      await expect(asked).rejects.toMatchObject({ code: 'QUERY_LIMIT', message: expect.stringContaining(limit) });
    });

    test('a wrong question is STORE_REJECTED', async () => {
      const asked = store().stream({ sql: 'SELECT nothing FROM events', params: {} }, AMPLE);

      await expect(asked).rejects.toMatchObject({ code: 'STORE_REJECTED' });
    });

    test('who leaves a stream gives its place back at once, however long it was', async () => {
      const endless = { sql: 'SELECT number AS n FROM numbers(1000000000000)', params: {} };

      for (let round = 0; round < 8; round++) {
        const stream = (await store().stream(endless, UNBOUNDED))[Symbol.asyncIterator]();
        await stream.next();
        await stream.return?.();
      }

      expect(await linesOf(await store().stream({ ...NUMBERS, params: { to: '3' } }, AMPLE))).toHaveLength(3);
    });

    test('ten at once of one project are all answered', async () => {
      const query = { ...NUMBERS, projectId: 'p' };
      const asked = Array.from({ length: 10 }, async () => linesOf(await store().stream(query, AMPLE)));

      for (const lines of await Promise.all(asked)) expect(lines).toHaveLength(300_000);
    });
  });

  test("heavy questions of one project hold up no other's", async () => {
    let ended = false;
    const heavy = [1, 2, 3, 4].map(() =>
      store()
        .ask({ ...HEAVY, projectId: 'heavy' }, { ...UNBOUNDED, maxMs: 2_000 })
        .catch((error: unknown) => error)
        .finally(() => (ended = true)),
    );

    const { rows } = await store().ask({ sql: 'SELECT 1 AS n', params: {}, projectId: 'light' }, AMPLE);

    expect(rows).toEqual([{ n: 1 }]);
    expect(ended).toBe(false);
    for (const question of heavy) expect(await question).toMatchObject({ code: 'QUERY_LIMIT' });
  });
}
