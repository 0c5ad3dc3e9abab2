import { afterAll, beforeAll, expect, test } from 'vitest';
import { OTHER_READ_KEY, READ_KEY, ReadingServer, WRITE_KEY } from '../support/http/reading-server.ts';

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
});
afterAll(() => server.stop());

async function post(path: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const init = {
    method: 'POST',
    headers: { api_key: WRITE_KEY, 'content-type': 'application/json', ...headers },
    body,
  };
  const response = await fetch(server.url + path, init);
  await response.arrayBuffer();
  return response.status;
}

interface Listed {
  readonly refusals: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

async function list(query = '', key = READ_KEY): Promise<Listed> {
  const response = await server.request(`/v1/refusals${query}`, {}, key);
  expect(response.status).toBe(200);
  return (await response.json()) as Listed;
}

test('what ingest refused is listed by endpoint, problem and pointer, for its project alone', async () => {
  const key = server.addLimitedKey('write', 0.001);
  expect(await post('/v1/track', '{"user_id":"ada","event":7}')).toBe(400);
  expect(await post('/v1/t', '{"user_id":"ada","event":8}')).toBe(400);
  expect(await post('/v1/identify', 'x'.repeat(40_000))).toBe(413);
  expect(await post('/legacy/add-event', '{')).toBe(400);
  const batch = JSON.stringify({
    batch: [
      { type: 'track', user_id: 'a', event: 'e' },
      { type: 'track', user_id: 7 },
    ],
  });
  expect(await post('/v1/batch', batch, { prefer: 'handling=lenient' })).toBe(200);
  const dropped = { userId: 'a', event: 'e' };
  const mended = { type: 'track', userId: 'a', event: 'e', timestamp: 'yesterday' };
  const sdk = { batch: [mended, dropped], sentAt: null };
  expect(await post('/v1/batch', JSON.stringify(sdk))).toBe(200);
  await post('/v1/track', '{', { api_key: key });
  expect(await post('/v1/track', '{', { api_key: 'unknown' })).toBe(401);
  await server.refusalCounts.flush();

  const { refusals, next_cursor } = await list();

  const common = { key_id: 'key_write', code: 'invalid-body' };
  const groups = refusals.map(({ path, code, pointer, count }) => [path, code, pointer, count]);
  expect(refusals.find(({ path }) => path === '/v1/track')).toMatchObject({
    ...common,
    pointer: '/event',
    count: 2,
    first: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    example: '{"user_id":"ada","event":7}',
  });
  expect(groups).toContainEqual(['/v1/identify', 'too-large', '', 1]);
  expect(groups).toContainEqual(['/legacy/add-event', 'invalid-body', '', 1]);
  expect(groups).toContainEqual(['/v1/batch', 'invalid-body', '/batch/*/user_id', 1]);
  expect(groups).toContainEqual(['/v1/batch', 'adjusted', '/batch/*/timestamp', 1]);
  expect(groups).toContainEqual(['/v1/batch', 'invalid-body', '/batch/*/type', 1]);
  expect(refusals.map(({ example }) => example)).toContain(JSON.stringify(dropped));
  expect(groups).toHaveLength(new Set(groups.map((group) => JSON.stringify(group))).size);
  expect(next_cursor).toBeNull();
  expect((await list('', OTHER_READ_KEY)).refusals).toEqual([]);
});

test('pages follow one another without a gap', async () => {
  const all = (await list()).refusals;
  const paged: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: Listed = await list(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
    paged.push(...page.refusals);
    cursor = page.next_cursor;
  } while (cursor !== null);

  expect(all.length).toBeGreaterThan(3);
  expect(paged).toEqual(all);
});
