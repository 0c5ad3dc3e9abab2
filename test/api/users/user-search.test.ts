import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

let server: ReadingServer;

interface Page {
  readonly users: readonly { readonly user_id: string; readonly internal_id: string }[];
  readonly next_cursor: string | null;
}

beforeAll(async () => {
  server = await ReadingServer.start();
});

beforeEach(() => {
  server.analytics.unreachable = server.database.unreachable = false;
  server.analytics.answer = () => ({ rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 });
});

afterAll(() => server.stop());

async function pageOf(query: string, key?: string): Promise<Page> {
  const response = await server.request(`/v1/users?${query}`, {}, key);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

/** Lets analytics find these users by a trait, and returns the questions that it is asked. */
function findByTrait(...names: string[]): { sql: string; params: object }[] {
  const questions: { sql: string; params: object }[] = [];
  const keys = names.map((name) => userKeyOf(PROJECT.id, name));
  server.analytics.answer = (query) => {
    questions.push(query);
    const isGiven = query.sql.includes('AS user_number FROM trait_rows');
    const rows = keys.map((key) => (isGiven ? { user_number: userNumber(key) } : { internal_id: key }));
    return { rows, tookMs: 1, rowsRead: 2, bytesRead: 3 };
  };
  return questions;
}

/** Lets analytics find these users by a part, in the order of their ids, and returns the questions that it is asked. */
function findByPart(keys: readonly string[]): Query[] {
  const questions: Query[] = [];
  server.analytics.answer = (query) => {
    questions.push(query);
    const { after, users } = query.params as { readonly after?: string; readonly users?: readonly string[] };
    const left = keys.toSorted().filter((key) => after === undefined || BigInt(userNumber(key)) > BigInt(after));
    const rows =
      users === undefined
        ? left.map((key) => ({ user_number: userNumber(key), source: '1' }))
        : left.filter((key) => users.includes(userNumber(key))).map((key) => ({ internal_id: key }));
    return { rows, tookMs: 1, rowsRead: 2, bytesRead: 3 };
  };
  return questions;
}

test('a part is found in ids and in search traits that are texts, as the profile has them now', async () => {
  const keys = [
    await server.addProfile('u-1', { traits: '{"name":"Ada LOVELACE"}' }),
    await server.addProfile('lovelace-2'),
    await server.addProfile('u-3', { traits: '{"email":"ada@lovelace.example"}' }),
    await server.addProfile('u-4', { traits: '{"name":"Ada King","city":"Lovelace"}' }),
    await server.addProfile('u-5', { traits: '{"name":["Lovelace"],"email":{"a":"lovelace"}}' }),
    await server.addProfile('u-6', { userId: null, traits: '{"email":"LoveLace@a.example"}' }),
  ].map(({ userKey }) => userKey);
  const questions = findByPart(keys);

  const page = await pageOf('search=LoveL%41CE');

  expect(new Set(page.users.map(({ user_id }) => user_id))).toEqual(new Set(['u-1', 'lovelace-2', 'u-3', null]));
  expect(questions[0]?.params).toMatchObject({ text: 'lovelace', trait0: 'name', trait1: 'email', after: '0' });
});

test('a page of a part on which nobody has it any more goes on behind its last user', async () => {
  const traits = '{"name":"x"}';
  const gone = [await server.addProfile('gone', { traits }), await server.addProfile('gone too', { traits })];
  const keys = gone.map(({ userKey }) => userKey).toSorted();
  const questions = findByPart(keys);

  const page = await pageOf('search=grace&limit=1');
  await pageOf(`search=grace&limit=1&cursor=${page.next_cursor}`);

  expect(page).toEqual({ users: [], next_cursor: keys[0] });
  expect(questions[2]?.params).toMatchObject({ after: BigInt(`0x${keys[0]?.slice(0, 32)}`).toString() });
});

test.each([
  ['plan:pro', 'plan'],
  ['a\\:b:c', 'a:b'],
  ['a\\\\:b:c', 'a\\'],
  [':v', ''],
  ['name:', 'name'],
  ['😀\u2028:1', '😀\u2028'],
])('the trait of %j is %j', async (trait, name) => {
  const questions = findByTrait();

  await pageOf(`trait=${encodeURIComponent(trait)}`);

  expect(Object.values(questions[0]?.params ?? {})).toContain(name);
});

test('a page of wide profiles is short and has a cursor', async () => {
  const traits = JSON.stringify({ text: 'x'.repeat(3_000_000) });
  const names = ['wide 1', 'wide 2', 'wide 3', 'wide 4'];
  for (const name of names) await server.addProfile(name, { traits });
  findByPart(names.map((name) => userKeyOf(PROJECT.id, name)));

  const page = await pageOf('search=wide');
  const rest = await pageOf(`search=wide&cursor=${page.next_cursor}`);

  expect([page, rest].map(({ users }) => users.length)).toEqual([3, 1]);
  expect([...page.users, ...rest.users].map(({ user_id }) => user_id).toSorted()).toEqual(names);
  expect(rest.next_cursor).toBeNull();
});

const HEX = 'a'.repeat(64);

test.each([
  ['', 'search or prefix, trait, anonymous_id or internal_id is needed'],
  ['search=a&prefix=b', 'prefix stands beside search'],
  ['prefix=a&trait=b:c', 'trait stands beside prefix'],
  [`anonymous_id=a&internal_id=${HEX}`, 'internal_id stands beside anonymous_id'],
  ['trait=plan', 'trait is not a name, a colon and a value'],
  ['trait=a%5C:b', 'trait is not a name, a colon and a value'],
  ['trait=a:%00', 'trait must not hold a NUL character'],
])('the search "%s" is 400: %s', async (query, detail) => {
  const response = await server.request(`/v1/users?${query}`);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid-parameter', detail: expect.stringContaining(detail) });
});
