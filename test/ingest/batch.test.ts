import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { IngestServer, PROJECT } from '../support/http/ingest-server.ts';
import { readReceipt } from '../support/http/receipts.ts';

const LENIENT = { prefer: 'handling=lenient' };
const track = (event: string, more: object = {}): object => ({ type: 'track', user_id: 'u', event, ...more });

let server: IngestServer;

beforeAll(async () => {
  server = await IngestServer.start();
});
beforeEach(() => {
  server.faulty.records.length = 0;
});
afterAll(() => server.stop());

/** The recorded events' names, in order. */
function events(): (string | undefined)[] {
  return server.messages().map((message) => (message.type === 'track' ? message.event : undefined));
}

describe('a batch', () => {
  test('is recorded in one append, in order, and answered with the ids in that order', async () => {
    const items = [
      track('a'),
      { type: 'identify', user_id: 'v', traits: { x: 1 } },
      track('b', { message_id: 'mine' }),
    ];

    const { status, json } = await server.post('/v1/batch', { batch: items });

    const messages = server.messages();
    expect(status).toBe(200);
    expect(json).toEqual({
      success: true,
      message_ids: messages.map(({ messageId }) => messageId),
      receipt: expect.any(String),
    });
    expect(messages.map(({ type, source }) => [type, source])).toEqual([
      ['track', 'batch'],
      ['identify', 'batch'],
      ['track', 'batch'],
    ]);
    expect(messages.map(({ version }) => version)).toEqual(messages.map(({ version }) => version).toSorted());
    expect(messages[2]).toMatchObject({ messageId: 'mine', messageIdGiven: true });
    expect(readReceipt(json.receipt, PROJECT).places.map(({ topic }) => topic)).toEqual([
      'tidemark.track',
      'tidemark.identify',
    ]);
  });

  test('with one bad item records nothing and names every problem of every item', async () => {
    const items = [track('a'), { type: 'track', user_id: 7, timestamp: 'x' }, track('b'), { type: 'nonsense' }];

    const { status, json } = await server.post('/v1/batch', { batch: items });

    expect(status).toBe(400);
    expect(json.errors.map(({ path }) => path).toSorted()).toEqual([
      '/batch/1/event',
      '/batch/1/timestamp',
      '/batch/1/user_id',
      '/batch/3/type',
    ]);
    expect(server.faulty.records).toEqual([]);
  });

  test('names the first hundred problems', async () => {
    const { json } = await server.post('/v1/batch', {
      batch: Array.from({ length: 300 }, () => ({ type: 'track', user_id: 'u' })),
    });
    expect(json.errors).toHaveLength(100);
  });

  test.each([
    [{}, '/batch'],
    [{ batch: [] }, '/batch'],
    [{ batch: {} }, '/batch'],
    [{ batch: null }, '/batch'],
    [{ batch: ['x'] }, '/batch/0'],
  ])('%o is 400', async (body, path) => {
    for (const headers of [{}, LENIENT]) {
      const { status, json } = await server.post('/v1/batch', body, headers);
      expect([status, json.errors[0]?.path]).toEqual([400, path]);
    }
  });

  test('sent again under its Idempotency-Key has the same ids', async () => {
    const body = { batch: [track('a'), track('b'), track('c', { message_id: 'mine' })] };
    const headers = { 'idempotency-key': 'k' };

    const first = await server.post('/v1/batch', body, headers);
    const again = await server.post('/v1/batch', body, headers);

    expect(new Set(first.json.message_ids).size).toBe(3);
    expect(again.json.message_ids).toEqual(first.json.message_ids);
    expect(first.json.message_ids[2]).toBe('mine');
  });

  test('that the log does not take is 503 with the ids to send it again under', async () => {
    const batch = [track('a'), track('b', { message_id: 'mine' })];
    server.faulty.unreachable = true;
    const refused = await server.post('/v1/batch', { batch });
    server.faulty.unreachable = false;

    const again = batch.map((item, i) => ({ ...item, message_id: refused.json.message_ids[i] }));
    const accepted = await server.post('/v1/batch', { batch: again });

    expect(refused.status).toBe(503);
    expect(refused.json.message_ids[1]).toBe('mine');
    expect(accepted.json.message_ids).toEqual(refused.json.message_ids);
  });

  test('of thousands of items over thousands of partitions has a receipt under 4 KB', async () => {
    const batch = Array.from({ length: 9_000 }, () => ({ type: 'track', user_id: 'u', event: 'e' }));
    const { json } = await server.post('/v1/batch', { batch });
    expect(json.message_ids).toHaveLength(9_000);
    expect(json.receipt.length).toBeLessThan(4_096);
  });
});

describe('a lenient batch', () => {
  test('records what is valid and lists the rest', async () => {
    const batch = [track('a'), track('bad', { timestamp: 'x' }), track('b'), { type: 'nonsense' }];

    const { status, json, headers } = await server.post('/v1/batch', { batch }, LENIENT);

    expect(status).toBe(200);
    expect(headers.get('preference-applied')).toBe('handling=lenient');
    expect(events()).toEqual(['a', 'b']);
    const [first, second] = server.messages();
    expect(json.message_ids).toEqual([first?.messageId, null, second?.messageId, null]);
    expect(json.rejected).toEqual([
      { index: 1, errors: [{ path: '/batch/1/timestamp', message: expect.any(String) }] },
      { index: 3, errors: [{ path: '/batch/3/type', message: expect.any(String) }] },
    ]);
    expect(json.receipt).toEqual(expect.any(String));
  });

  test('with nothing wrong rejects nothing', async () => {
    const { json } = await server.post('/v1/batch', { batch: [track('a')] }, LENIENT);
    expect(json.rejected).toEqual([]);
  });

  test('with nothing valid is 400', async () => {
    const { status, json } = await server.post('/v1/batch', { batch: [{}, { type: 'track' }] }, LENIENT);
    expect(status).toBe(400);
    expect(json.errors.length).toBeGreaterThanOrEqual(2);
  });

  test('loses only the items that hold what no string or number may', async () => {
    const deep = '['.repeat(70) + ']'.repeat(70);
    const items = ['{"a":"\\u0000"}', '{"n":9007199254740993}', '{"\\ud800":1}', `{"d":${deep}}`, '{"n":1e5000}'].map(
      (properties, i) => `{"type":"track","user_id":"u","event":"e${i}","properties":${properties}}`,
    );

    const { status, json } = await server.post('/v1/batch', `{"batch":[${items.join(',')}]}`, LENIENT);

    expect(status).toBe(200);
    expect(json.rejected.map(({ index }) => index)).toEqual([0, 2, 3, 4]);
    expect(json.rejected[0]?.errors[0]?.path).toBe('/batch/0/properties/a');
    expect(server.messages()).toMatchObject([{ event: 'e1', properties: '{"n":9007199254740993}' }]);
  });

  test.each([
    ['what is wrong outside the items', `{"batch":[${JSON.stringify(track('a'))}],"x":"\\u0000"}`],
    ['depth without end', `{"batch":[${JSON.stringify(track('a'))}],"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['what is no JSON', `{"batch":[${JSON.stringify(track('a'))}`],
  ])('is 400 as a whole for %s', async (_, body) => {
    const { status } = await server.post('/v1/batch', body, LENIENT);
    expect(status).toBe(400);
    expect(server.faulty.records).toEqual([]);
  });

  test.each([
    ['depth without end', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['a thousand NULs', `{"type":"track","properties":{"list":[${'"\\u0000",'.repeat(1_000)}1]}}`],
    ['a hundred items that none can read', Array.from({ length: 100 }, () => '"\\u0000"').join()],
  ])('leaves out an item with %s and no other', async (_, item) => {
    const batch = `{"batch":[${item},${JSON.stringify(track('a'))}]}`;

    const { status, json } = await server.post('/v1/batch', batch, LENIENT);

    expect(status).toBe(200);
    expect(events()).toEqual(['a']);
    expect(json.rejected.map(({ index }) => index)).toEqual(json.rejected.map((_rejected, index) => index));
  });

  test('lists every item it leaves out, telling a hundred problems', async () => {
    const batch = [track('a'), ...Array.from({ length: 500 }, () => ({ type: 'track', user_id: 'u' }))];

    const { json } = await server.post('/v1/batch', { batch }, LENIENT);

    expect(json.rejected).toHaveLength(500);
    expect(json.rejected.flatMap(({ errors }) => errors)).toHaveLength(100);
  });

  test('names items after their index in the batch, whatever was left out before them', async () => {
    const headers = { 'idempotency-key': 'k' };
    const whole = await server.post('/v1/batch', { batch: [track('a'), track('b')] }, headers);
    const lenient = await server.post('/v1/batch', { batch: [{}, track('b')] }, { ...headers, ...LENIENT });
    expect(lenient.json.message_ids).toEqual([null, whole.json.message_ids[1]]);
  });

  test('that the log does not take is 503, the ids in their places', async () => {
    server.faulty.unreachable = true;
    const { status, json } = await server.post('/v1/batch', { batch: [{}, track('b')] }, LENIENT);
    server.faulty.unreachable = false;
    expect([status, json.message_ids]).toEqual([503, [null, expect.any(String)]]);
  });

  test.each([
    ['handling=lenient', true],
    ['Handling = "Lenient"', true],
    ['respond-async, handling=lenient; x=1', true],
    ['handling=strict, handling=lenient', false],
    ['handling=strict', false],
    ['lenient', false],
    ['x-handling=lenient', false],
  ])('Prefer: %s: %s', async (prefer, applied) => {
    const { headers } = await server.post('/v1/batch', { batch: [track('a')] }, { prefer });
    expect(headers.has('preference-applied')).toBe(applied);
  });
});
