import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

let server: ReadingServer;
const HOUR = 3_600_000_000n;
const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;

beforeAll(async () => {
  server = await ReadingServer.start();
  await server.addProfile('ada');
  await server.addProfile('', { userId: null, userKey: anonymousKeyOf(PROJECT.id, 'ada') });
  for (const n of [0n, 1n, 2n, 3n]) server.addEvent('ada', { messageId: `m${n}`, timestamp: NOON + n * HOUR });
});

afterAll(() => server.stop());

async function idsIn(path: string): Promise<string[]> {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  const { events } = (await response.json()) as { events: { message_id: string }[] };
  return events.map(({ message_id }) => message_id);
}

test('a user is named by any of their ids', async () => {
  const names = [
    ['ada', userKeyOf(PROJECT.id, 'ada')],
    ['ada?by=user_id', userKeyOf(PROJECT.id, 'ada')],
    ['ada?by=anonymous_id', anonymousKeyOf(PROJECT.id, 'ada')],
    [`${userKeyOf(PROJECT.id, 'ada')}?by=internal_id`, userKeyOf(PROJECT.id, 'ada')],
  ];
  for (const [name, internalId] of names) {
    const response = await server.request(`/v1/users/${name}`);
    expect([name, response.status, await response.json()]).toMatchObject([name, 200, { internal_id: internalId }]);
  }
  expect(await idsIn(`/v1/users/${userKeyOf(PROJECT.id, 'ada')}/events?by=internal_id&limit=1`)).toEqual(['m3']);
  expect(await idsIn('/v1/users/ada/events?by=anonymous_id')).toEqual([]);
});

test.each([['ada?by=internal_id', 'user_id must be 64 hexadecimal digits']])(
  'a user named as %s is 400',
  async (name, detail) => {
    for (const path of [name, name.replace('?', '/events?')]) {
      const response = await server.request(`/v1/users/${path}`);
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'invalid-parameter', detail: expect.stringContaining(detail) },
      ]);
    }
  },
);

test('events of a time range begin at since and end before until, whatever the page', async () => {
  const byId = `/v1/events?internal_id=${userKeyOf(PROJECT.id, 'ada')}&`;
  for (const path of ['/v1/users/ada/events?', byId]) {
    expect(await idsIn(`${path}since=2026-11-20T13:00:00Z`)).toEqual(['m3', 'm2', 'm1']);
    expect(await idsIn(`${path}until=2026-11-20T13:00:00Z`)).toEqual(['m0']);
    expect(await idsIn(`${path}since=2026-11-20T14:00:00%2B01:00&until=2026-11-20T14:00:00.000001Z`)).toEqual([
      'm2',
      'm1',
    ]);
    expect(await idsIn(`${path}since=2026-11-20&until=2026-11-21`)).toHaveLength(4);
  }
  const first = await server.request('/v1/users/ada/events?since=2026-11-20T13:00:00Z&limit=1');
  const { next_cursor: cursor } = (await first.json()) as { next_cursor: string };
  expect(await idsIn(`/v1/users/ada/events?since=2026-11-20T13:00:00Z&cursor=${cursor}`)).toEqual(['m2', 'm1']);
});

test.each([['since=2026-11-20&until=2026-11-20', 'until is not later than since']])(
  'the time range %s is 400',
  async (query, detail) => {
    const response = await server.request(`/v1/users/ada/events?${query}`);

    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'invalid-parameter', detail: expect.stringContaining(detail) },
    ]);
  },
);
