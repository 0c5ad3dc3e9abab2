import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCursor } from '../../services/questions/events/cursor.ts';
import { OTHER_READ_KEY, ReadingServer } from '../support/http/reading-server.ts';

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
});

afterAll(() => server.stop());

/** Sends the path as it is written: `fetch` would tidy it up. */
function getRaw(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const options = { hostname, port, path, headers: { api_key: 'read-key-of-the-first-project' } };
    const sent = request(options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function statusOf(path: string, key?: string): Promise<number> {
  const response = await server.request(path, {}, key);
  await response.text();
  return response.status;
}

describe('a profile', () => {
  test('a profile has the fields of the contract, in its notation', async () => {
    const { userKey } = await server.addProfile('ada', {
      anonymous: false,
      traits: '{"plan":"pro"}',
      firstSeen: -2_208_988_800_000_000n,
      lastSeen: 1_790_000_000_123_456n,
    });

    const response = await server.request('/v1/users/ada');

    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      user_id: 'ada',
      internal_id: userKey,
      anonymous: false,
      anonymous_ids: [],
      traits: { plan: 'pro' },
      first_seen: '1900-01-01T00:00:00.000000Z',
      last_seen: '2026-09-21T14:13:20.123456Z',
    });
  });

  test('a profile shows every digit of its traits', async () => {
    const traits = '{"b":9007199254740993,"a":[1e400,0.1000000000000000055],"__proto__":{"x":1},"":"é"}';
    await server.addProfile('exact', { traits });

    const body = await (await server.request('/v1/users/exact')).text();

    // The database writes exponents out, and sorts members.
    const stored = `{"": "é", "a": [1${'0'.repeat(400)}, 0.1000000000000000055], "b": 9007199254740993, "__proto__": {"x": 1}}`;
    expect(body).toContain(`"traits":${stored},`);
  });

  // Other ids are sent through a whole service: ids-in-paths.test.ts.
  test.each([
    ['right-to-left text', 'שלום', encodeURIComponent('שלום')],
    ['two dots, which no client has changed', '..', '..'],
    ['a colon, as in the pattern of the route', ':user_id', ':user_id'],
    ['512 characters of four bytes', '😀'.repeat(512), encodeURIComponent('😀'.repeat(512))],
  ])('a profile is found by an id with %s', async (_, userId, encoded) => {
    await server.addProfile(userId);

    const { status, body } = await getRaw(`/v1/users/${encoded}`);

    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ user_id: userId });
  });

  test.each(['%', '%zz', '%e2%82', '%ff', '%ed%a0%80', 'a%00b', '%00', encodeURIComponent('é'.repeat(513))])(
    'an invalid user id (%s) is a bad request',
    async (encoded) => {
      const { status, body } = await getRaw(`/v1/users/${encoded}`);

      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ type: 'urn:tidemark:problem:invalid-parameter' });
    },
  );
});

describe('events', () => {
  test('events have the fields of the contract, with every digit of their properties', async () => {
    const properties = '{"total":129.90,"big":1e400}';
    server.addEvent('eve', { messageId: 'm"1', event: 'Order', timestamp: 1n, receivedAt: 2n, properties });
    server.addEvent('eve', { messageId: 'm2', timestamp: 0n, sessionId: 's1' });

    const body = await (await server.request('/v1/users/eve/events')).text();

    const times = '"timestamp":"1970-01-01T00:00:00.000001Z","received_at":"1970-01-01T00:00:00.000002Z"';
    expect(body).toContain(
      `{"events":[{"message_id":"m\\"1","event":"Order",${times},"session_id":null,"anonymous_id":null,"properties":${properties}},`,
    );
    expect(JSON.parse(body)).toMatchObject({ events: [{}, { session_id: 's1' }], next_cursor: null });
  });

  test('events can be filtered by name', async () => {
    server.addEvent('names', { messageId: '1', event: 'A & B+C' });
    server.addEvent('names', { messageId: '2', event: 'other' });

    const response = await server.request('/v1/users/names/events?event=A+%26%20B%2BC');

    expect(await response.json()).toMatchObject({ events: [{ message_id: '1' }] });
  });

  test('a user without events has an empty list, and an unknown user is not found', async () => {
    await server.addProfile('idle');
    const last = server.addEvent(' not yet projected ', { messageId: '1' });
    const pastTheEnd = encodeCursor(last);

    const idle = await server.request('/v1/users/idle/events');
    const past = await server.request(`/v1/users/%20not%20yet%20projected%20/events?cursor=${pastTheEnd}`);

    expect(await past.json()).toEqual({ events: [], next_cursor: null });
    expect(await idle.json()).toEqual({ events: [], next_cursor: null });
    expect(await statusOf('/v1/users/idle/events', OTHER_READ_KEY)).toBe(404);
    expect(await statusOf('/v1/users/nobody/events')).toBe(404);
    expect(await statusOf('/v1/users/%20not%20yet%20projected%20/events')).toBe(200);
  });

  test.each([
    'limit=1',
    'limit=1000',
    'project=proj_00000000000000000001',
    '',
    '&&',
    `event=${encodeURIComponent('😀'.repeat(512))}`,
  ])('events accept the parameters "%s"', async (search) => {
    await server.addProfile('ada');

    expect(await statusOf(`/v1/users/ada/events?${search}`)).toBe(200);
  });
});
