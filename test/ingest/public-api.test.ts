import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeReceipt } from '../../services/messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../services/messages/receipt/receipt-signer.ts';
import type { Identify, Track } from '../../services/messages/message.ts';
import { anonymousKeyOf, userKeyOf } from '../../services/messages/user-key.ts';
import { IngestServer, OTHER_KEY, OTHER_PROJECT, PROJECT } from '../support/http/ingest-server.ts';
import { readReceipt } from '../support/http/receipts.ts';

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let server: IngestServer;

beforeAll(async () => {
  server = await IngestServer.start();
});
beforeEach(() => {
  server.faulty.records.length = 0;
});
afterAll(() => server.stop());

describe('identify', () => {
  test('records the traits and answers with the id and a receipt', async () => {
    const before = Date.now();

    const { status, json } = await server.post('/v1/identify', { user_id: 'jane', traits: { plan: 'pro', old: null } });

    const [message] = server.messages() as Identify[];
    expect(status).toBe(200);
    expect(json).toEqual({ success: true, message_id: message?.messageId, receipt: expect.any(String) });
    expect(message).toMatchObject({
      type: 'identify',
      projectId: PROJECT.id,
      userId: 'jane',
      anonymousId: null,
      userKey: userKeyOf(PROJECT.id, 'jane'),
      messageId: expect.stringMatching(UUID_7),
      messageIdGiven: false,
      source: 'identify',
      traits: '{"plan":"pro","old":null}',
    });
    expect(message!.timestamp).toBe(message!.receivedAt);
    expect(Number(message!.receivedAt / 1_000n)).toBeGreaterThanOrEqual(before);
  });

  test('without traits makes the user', async () => {
    await server.post('/v1/identify', { user_id: 'jane' });
    expect(server.messages()[0]).toMatchObject({ type: 'identify', traits: '{}' });
  });
});

describe('track', () => {
  test('records the event where and when it took place', async () => {
    const body = {
      user_id: 'jane',
      event: 'Bought',
      properties: { total: 5 },
      timestamp: '2026-01-02T03:04:05.123456',
    };

    const { json } = await server.post('/v1/track', body);

    const [message] = server.messages() as Track[];
    expect(message).toMatchObject({
      type: 'track',
      event: 'Bought',
      properties: '{"total":5}',
      sessionId: null,
      source: 'track',
      // The project is in Berlin.
      timestamp: BigInt(Date.UTC(2026, 0, 2, 2, 4, 5)) * 1_000n + 123_456n,
    });
    expect(json.message_id).toBe(message?.messageId);
  });

  test('every digit, key and character comes through as sent', async () => {
    const properties =
      '{"big":9007199254740993,"fine":0.1000000000000000055,"huge":1e400,"__proto__":{"x":1},"":"","a.b c":"😀 שלום","d":1,"d":2}';

    await server.post('/v1/track', `{"user_id":"jane","event":"e","properties":${properties}}`);

    const [message] = server.messages() as Track[];
    expect(message?.properties).toContain('"big":9007199254740993');
    expect(message?.properties).toContain('"fine":0.1000000000000000055');
    expect(message?.properties).toMatch(/"huge":1e\+?400/i);
    expect(message?.properties).toContain('"__proto__":{"x":1}');
    expect(message?.properties).toContain('"":""');
    expect(message?.properties).toContain('"a.b c":"😀 שלום"');
    expect(message?.properties.match(/"d":\d/g)).toEqual(['"d":2']);
  });

  test.each([
    ['a user id of 513 characters', { user_id: '😀'.repeat(513), event: 'e' }, '/user_id'],
    ['an empty user id', { user_id: '', event: 'e' }, '/user_id'],
    ['a number for a user id', { user_id: 7, event: 'e' }, '/user_id'],
    ['null for a user id', { user_id: null, event: 'e' }, '/user_id'],
    ['no user id', { event: 'e' }, '/user_id'],
    ['no event', { user_id: 'u' }, '/event'],
    ['null for an event', { user_id: 'u', event: null }, '/event'],
    ['an array for properties', { user_id: 'u', event: 'e', properties: [] }, '/properties'],
    ['null for properties', { user_id: 'u', event: 'e', properties: null }, '/properties'],
    ['a time that does not exist', { user_id: 'u', event: 'e', timestamp: '2026-02-30T00:00:00Z' }, '/timestamp'],
    ['null for a time', { user_id: 'u', event: 'e', timestamp: null }, '/timestamp'],
    ['too long a message id', { user_id: 'u', event: 'e', message_id: 'm'.repeat(129) }, '/message_id'],
    [
      'half a surrogate pair in a property',
      { user_id: 'u', event: 'e', properties: { 'a/b': ['\ud800'] } },
      '/properties/a~1b/0',
    ],
  ])('with %s is 400 and names the place', async (_, body, path) => {
    const { status, json } = await server.post('/v1/track', body);

    expect([status, json.type]).toEqual([400, 'urn:tidemark:problem:invalid-body']);
    expect(json.errors).toContainEqual({ path, message: expect.any(String) });
    expect(server.faulty.records).toEqual([]);
  });

  test('takes the longest names there may be', async () => {
    const body = { user_id: '😀'.repeat(512), event: 'é'.repeat(512), message_id: '😀'.repeat(128) };
    expect((await server.post('/v1/track', body)).json.message_id).toBe(body.message_id);
  });

  test('takes what analytics SDKs send', async () => {
    await server.post('/v1/track', {
      anonymousId: 'jane',
      userId: null,
      event: 'e',
      messageId: 'm-1',
      context: { ip: 1 },
    });

    expect(server.messages()[0]).toMatchObject({
      userId: null,
      anonymousId: 'jane',
      userKey: anonymousKeyOf(PROJECT.id, 'jane'),
      messageId: 'm-1',
      properties: '{"context":{"ip":1}}',
    });
  });
});

describe('the name of a message', () => {
  test('is the one that the caller gave, whatever is in it', async () => {
    const id = 'said "hello"\\ 😀';
    const { json } = await server.post('/v1/track', { user_id: 'u', event: 'e', message_id: id });

    expect(json.message_id).toBe(id);
    expect(server.messages()[0]).toMatchObject({ messageId: id, messageIdGiven: true });
  });

  test('is the same for the same Idempotency-Key, and another for another key or project', async () => {
    const send = async (idempotencyKey: string, headers = {}): Promise<string> => {
      const all = { 'idempotency-key': idempotencyKey, ...headers };
      return (await server.post('/v1/track', { user_id: 'u', event: 'e' }, all)).json.message_id;
    };

    const first = await send('key-1');

    expect(await send('key-1')).toBe(first);
    expect(await send('key-2')).not.toBe(first);
    expect(await send('key-1', { api_key: OTHER_KEY })).not.toBe(first);
    expect(server.messages().every(({ messageIdGiven }) => messageIdGiven)).toBe(true);
  });

  test('given by the caller stands before the Idempotency-Key', async () => {
    const body = { user_id: 'u', event: 'e', message_id: 'mine' };
    expect((await server.post('/v1/track', body, { 'idempotency-key': 'k' })).json.message_id).toBe('mine');
  });

  test('is new each time otherwise, an empty Idempotency-Key being none', async () => {
    const ids = new Set<string>();
    for (const headers of [{}, {}, { 'idempotency-key': '' }, { 'idempotency-key': '' }]) {
      ids.add((await server.post('/v1/track', { user_id: 'u', event: 'e' }, headers)).json.message_id);
    }
    expect(ids.size).toBe(4);
  });
});

test('a receipt names the project and the place of the message', async () => {
  await server.post('/v1/track', { user_id: 'u', event: 'e' });
  const { json } = await server.post('/v1/identify', { user_id: 'u' }, { api_key: OTHER_KEY });

  const receipt = readReceipt(json.receipt, OTHER_PROJECT);

  expect(receipt).toMatchObject({ isSigned: true, places: [{ topic: 'tidemark.identify', partition: 0 }] });
  expect(decodeReceipt(json.receipt, receiptSignerOf(PROJECT))).toBe('foreign');
  expect(Math.abs(Date.now() - receipt.acceptedAtMs)).toBeLessThan(10_000);
});

test('a user of one project is another than the same of another project', async () => {
  await server.post('/v1/track', { user_id: 'u', event: 'e' });
  await server.post('/v1/track', { user_id: 'u', event: 'e' }, { api_key: OTHER_KEY });
  const [one, other] = server.messages();
  expect(one?.userKey).not.toBe(other?.userKey);
});
