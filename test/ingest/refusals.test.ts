/** Every refusal of the contract on every endpoint of ingest, and the order in which they are decided. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  IngestServer,
  BYTES_KEY,
  LIMITED_KEY,
  READ_KEY,
  type Reply,
  UNCHECKABLE_KEY,
  WRITE_KEY,
} from '../support/http/ingest-server.ts';

const ENDPOINTS = [
  ['/v1/identify', { user_id: 'u' }],
  ['/v1/track', { user_id: 'u', event: 'e' }],
  ['/v1/batch', { batch: [{ type: 'identify', user_id: 'u' }] }],
  ['/legacy/project-user', { user_id: 'u', anonymous: false }],
  ['/legacy/create-project-user', { user_id: 'u', anonymous: false }],
  ['/legacy/add-event', undefined],
] as const;

let server: IngestServer;
let full: IngestServer;
const valid = new Map<string, unknown>(ENDPOINTS);

beforeAll(async () => {
  server = await IngestServer.start();
  full = await IngestServer.start({ maxUnacknowledgedBytes: 0 });
  const { json } = await server.post('/legacy/project-user', valid.get('/legacy/project-user'));
  const { user_id, session_id } = json.result;
  valid.set('/legacy/add-event', { user_id, session_id, event: { name: 'e' } });
});
afterAll(async () => {
  await server.stop();
  await full.stop();
});

/** The refusal in the style of its path, with a body that says what the status line says. */
function expectRefusal(reply: Reply, path: string, status: number): void {
  expect(reply.status).toBe(status);
  if (path.startsWith('/legacy')) {
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.json).toMatchObject({ success: status, message: expect.stringMatching(/./) });
    expect(Object.keys(reply.json).filter((key) => !['success', 'message', 'message_ids'].includes(key))).toEqual([]);
  } else {
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    const text = expect.stringMatching(/./);
    expect(reply.json).toMatchObject({ type: text, title: text, status, detail: text });
  }
  expect(reply.text).not.toContain(WRITE_KEY);
}

describe.each(ENDPOINTS)('%s', (path) => {
  test.each([null, '', 'unknown', READ_KEY, `${WRITE_KEY}x`, 'K'.repeat(2_000)])(
    'with the key %o is 401 and closes',
    async (api_key) => {
      const reply = await server.post(path, valid.get(path), { api_key });

      expectRefusal(reply, path, 401);
      expect(reply.headers.get('connection')).toBe('close');
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
    },
  );

  test('with a key that cannot be checked is 503, never 401', async () => {
    const reply = await server.post(path, valid.get(path), { api_key: UNCHECKABLE_KEY });

    expectRefusal(reply, path, 503);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('with another method is 405 and says which there is', async () => {
    const reply = await server.get(path, { method: 'PUT', body: '{}' });

    expectRefusal(reply, path, 405);
    expect(reply.headers.get('allow')).toBe('POST');
  });

  test.each([
    ['no type', { 'content-type': null }, Buffer.from('{}')],
    ['another type', { 'content-type': 'text/json' }, '{}'],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }, '{}'],
    ['another encoding', { 'content-encoding': 'lzma' }, '{}'],
    ['a body that does not decompress', { 'content-encoding': 'gzip' }, '{}'],
    ['no UTF-8', {}, Buffer.from([0x22, 0x80, 0x22])],
    ['no body', {}, ''],
    ['no JSON', {}, '{"user_id":'],
    ['no object', {}, '[]'],
    ['nothing in it', {}, '{}'],
    ['a NUL', {}, '{"user_id":"\\u0000"}'],
    ['half a character', {}, '{"user_id":"\\ud800"}'],
    ['too much depth', {}, '['.repeat(65) + ']'.repeat(65)],
    ['depth without end', {}, '['.repeat(30_000)],
    ['too long a number', {}, `{"n":1e1001}`],
  ])('with %s is 400', async (_, headers: Record<string, string | null>, body) => {
    expectRefusal(await server.post(path, body, headers), path, 400);
  });

  test('past the rate limit of its project is 429', async () => {
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => server.post(path, '{}', { api_key: LIMITED_KEY })),
    );

    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const reply of refused) {
      expectRefusal(reply, path, 429);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  test('past the bytes that its project may send is 429', async () => {
    // After a body of this size its project may send nothing more for minutes.
    await server.post(path, JSON.stringify({ none: 'x'.repeat(1_000) }), { api_key: BYTES_KEY });

    const refused = await server.post(path, '{}', { api_key: BYTES_KEY });

    expectRefusal(refused, path, 429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('while more waits for the log than may is 429', async () => {
    const reply = await full.post(path, valid.get(path));

    expectRefusal(reply, path, 429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('while the log is unreachable is 503', async () => {
    server.faulty.unreachable = true;
    const reply = await server.post(path, valid.get(path));
    server.faulty.unreachable = false;

    expectRefusal(reply, path, 503);
    expect(reply.json.message_ids).toHaveLength(1);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('is refused for the first reason of the order', async () => {
    const limit = path === '/v1/batch' ? 512_000 : 32_768;
    const big = 'x'.repeat(limit + 1);
    const text = { 'content-type': 'text/plain' };
    server.faulty.unreachable = true;

    const statuses = [
      await server.post(`${path}/x`, big, { ...text, api_key: 'unknown' }),
      await server.get(path, { method: 'PUT', headers: { ...text, api_key: 'unknown' }, body: big }),
      await full.post(path, big, { ...text, api_key: 'unknown' }),
      await full.post(path, big, text),
      await server.post(path, big, text),
      await server.post(path, big),
      await server.post(path, '{}'),
      await server.post(path, valid.get(path)),
    ].map(({ status }) => status);
    server.faulty.unreachable = false;

    expect(statuses).toEqual([404, 405, 401, 429, 400, 413, 400, 503]);
  });
});
