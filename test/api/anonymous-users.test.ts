import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonymousKeyOf, userKeyOf } from '../../services/messages/user-key.ts';
import { OTHER_READ_KEY, PROJECT, ReadingServer } from '../support/http/reading-server.ts';

const NOBODY_KEY = anonymousKeyOf(PROJECT.id, 'cookie');
let server: ReadingServer;

interface UsersBody {
  readonly users: readonly { readonly user_id: string | null; readonly anonymous_ids: readonly string[] }[];
  readonly next_cursor: string | null;
}

beforeAll(async () => {
  server = await ReadingServer.start();
  await server.addProfile('', { userId: null, userKey: NOBODY_KEY, anonymousIds: ['cookie'] });
  for (const name of ['ada', 'bob', 'cid']) await server.addProfile(name, { anonymousIds: ['new', 'cookie'] });
  await server.addProfile('dan', { anonymousIds: ['other'] });
  server.addEvent('ada', { messageId: 'm1' });
  server.addEvent('', { messageId: 'm2', userKey: NOBODY_KEY });
});

afterAll(() => server.stop());

async function users(query: string, key?: string): Promise<UsersBody> {
  const response = await server.request(`/v1/users?${query}`, {}, key);
  expect(response.status).toBe(200);
  return (await response.json()) as UsersBody;
}

test('an anonymous id lists the user known by it alone, then those whom it was sent beside', async () => {
  const { users: found, next_cursor: next } = await users('anonymous_id=cookie');

  const byKey = ['ada', 'bob', 'cid'].toSorted((a, b) =>
    userKeyOf(PROJECT.id, a) < userKeyOf(PROJECT.id, b) ? -1 : 1,
  );
  expect(found.map(({ user_id }) => user_id)).toEqual([null, ...byKey]);
  expect(found[0]).toMatchObject({ internal_id: NOBODY_KEY, anonymous_ids: ['cookie'] });
  expect(found[1]?.anonymous_ids).toEqual(['new', 'cookie']);
  expect(next).toBeNull();
});

test('pages of any size list each of these users once', async () => {
  const whole = (await users('anonymous_id=cookie')).users;
  for (const limit of [1, 2, 3, 4]) {
    const listed = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: UsersBody = await users(`anonymous_id=cookie&limit=${limit}${cursor && `&cursor=${cursor}`}`);
      expect(page.users.length).toBeLessThanOrEqual(limit);
      listed.push(...page.users);
      cursor = page.next_cursor;
    }
    expect(listed).toEqual(whole);
  }
});

test('an id that nobody sent in this project lists nobody', async () => {
  expect(await users('anonymous_id=ada')).toEqual({ users: [], next_cursor: null });
  expect(await users('anonymous_id=cookie', OTHER_READ_KEY)).toEqual({ users: [], next_cursor: null });
});

test('an internal id lists its user', async () => {
  expect((await users(`internal_id=${userKeyOf(PROJECT.id, 'dan')}`)).users).toMatchObject([{ user_id: 'dan' }]);
  expect((await users(`internal_id=${NOBODY_KEY}`)).users).toMatchObject([{ user_id: null }]);
});

test('events are found by either id', async () => {
  for (const [query, messageId] of [
    ['anonymous_id=cookie', 'm2'],
    [`internal_id=${NOBODY_KEY}`, 'm2'],
    [`internal_id=${userKeyOf(PROJECT.id, 'ada')}`, 'm1'],
  ]) {
    const response = await server.request(`/v1/events?${query}`);
    expect(await response.json()).toMatchObject({ events: [{ message_id: messageId }] });
  }
});

test.each(['', `anonymous_id=a&internal_id=${NOBODY_KEY}`])(
  'the query "%s" names no user and is 400',
  async (query) => {
    for (const path of ['/v1/users', '/v1/events']) {
      const response = await server.request(`${path}?${query}`);
      expect([path, response.status, await response.json()]).toMatchObject([path, 400, { status: 400 }]);
    }
  },
);
