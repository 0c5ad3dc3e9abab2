import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { PROJECT, ReadingServer } from '../../support/http/reading-server.ts';
import { withoutJoins } from '../../support/http/without-joins.ts';

const AUDIENCE = 'aud_00000000000000000001';
const ADA = ['a'.repeat(64), 'ada', ''];
const COOKIE = ['b'.repeat(64), '', 'cookie'];
const COUNTS = { from_count: '5', to_count: '6', entering: '3', leaving: '2', staying: '3' };
const ROW = { ...COUNTS, entering_sample: [ADA, COOKIE], leaving_sample: [], staying_sample: [COOKIE] };
const ROWS = { rows: [ROW], tookMs: 3.4567, rowsRead: 7, bytesRead: 56 };

let server: ReadingServer;
let queries: Query[];

beforeAll(async () => {
  server = await ReadingServer.start();
  await server.addAudience(AUDIENCE);
});

beforeEach(() => {
  queries = [];
  server.analytics.answer = (query) => {
    queries.push(query);
    return ROWS;
  };
});

afterAll(() => server.stop());

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly errors?: readonly { readonly path: string }[] };
}

async function compare(body: unknown, key?: string, query = ''): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await server.request(`/v1/audiences/compare${query}`, { method: 'POST', body: text }, key);
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

const valuesOf = (query: Query | undefined) => Object.values(query?.params ?? {}).map(String);

test('two definitions are compared in one query of the project, with samples of ten', async () => {
  const reply = await compare('{"from":{"trait":"n","is":9007199254740993},"to":{"trait":"n","is":2}}');

  const ada = { user_id: 'ada', anonymous_id: null, internal_id: ADA[0] };
  const cookie = { user_id: null, anonymous_id: 'cookie', internal_id: COOKIE[0] };
  expect(reply).toEqual({
    status: 200,
    body: {
      evaluated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      from: { count: 5 },
      to: { count: 6 },
      entering: { count: 3, sample: [ada, cookie] },
      leaving: { count: 2, sample: [] },
      staying: { count: 3, sample: [cookie] },
      took_ms: 3,
      rows_read: 7,
    },
  });
  expect(queries).toHaveLength(1);
  expect(queries[0]?.projectId).toBe(PROJECT.id);
  expect(valuesOf(queries[0])).toEqual(expect.arrayContaining([PROJECT.id, '9007199254740993', '2', '10']));
});

test('a saved audience is compared with a definition that it does not have yet', async () => {
  const { status } = await compare({ audience: AUDIENCE, definition: { trait: 'tier', is: 'iron' }, sample: 3 });

  expect(status).toBe(200);
  expect(valuesOf(queries[0])).toEqual(expect.arrayContaining(['gold', 'iron', '3']));
});

test('a saved audience is compared with itself where ids are joined after the change', async () => {
  const { status } = await compare({ audience: AUDIENCE, to_join_ids: true });

  expect(status).toBe(200);
  const [before, after] = queries[0]?.sql.split('AS is_from') ?? [];
  expect(before).not.toContain('join_rows');
  expect(after).toContain('join_rows');
});

test('a project that may not join ids yet is not compared with joined ids', async () => {
  await withoutJoins(server, async () => {
    const conflict = { status: 409, body: { code: 'conflict', detail: 'Replay first.' } };
    expect(await compare({ audience: AUDIENCE, to_join_ids: true })).toMatchObject(conflict);
    expect(await compare({ audience: AUDIENCE, to_join_ids: false })).toMatchObject({ status: 200 });
  });
});

const GOLD = { trait: 'tier', is: 'gold' };

test.each([
  ['{', ['']],
  ['[]', ['']],
  [{}, ['/audience', '/definition']],
  [{ audience: AUDIENCE }, ['/definition']],
  [{ audience: 7, definition: GOLD }, ['/audience']],
  [{ definition: GOLD }, ['/audience']],
  [{ from: GOLD }, ['/to']],
  [{ to: GOLD }, ['/from']],
  [{ from: { trait: 7, is: 1 }, to: { all: 7 } }, ['/from/trait', '/to/all']],
  [{ from: GOLD, to: GOLD, sample: 1001 }, ['/sample']],
  [{ audience: AUDIENCE, definition: GOLD, to: GOLD }, ['']],
])('a body of %j is 400 with a pointer to each problem', async (body, paths) => {
  const reply = await compare(body);

  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid-body' } });
  expect(reply.body.errors?.map(({ path }) => path)).toEqual(paths);
  expect(queries).toEqual([]);
});
