import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { OTHER_READ_KEY, PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

const NAMES = ['ada', 'adam', 'ad%', 'ad_', 'bob', '\u{ffff}', '😀', '😀/?#'];
let server: ReadingServer;

interface Page {
  readonly users: readonly { readonly user_id: string; readonly internal_id: string }[];
  readonly next_cursor: string | null;
}

beforeAll(async () => {
  server = await ReadingServer.start();
  for (const name of NAMES) await server.addProfile(name);
});

beforeEach(() => {
  server.analytics.unreachable = server.database.unreachable = false;
  server.analytics.answer = (query) => ({ rows: namesFrom(query), tookMs: 1, rowsRead: 0, bytesRead: 0 });
});

/** The users of the project in the range of names that a search by prefix asks for. */
function namesFrom({ sql, params }: Query) {
  const { projectId, from, end, limit } = params as Readonly<Record<string, string>>;
  const named = server.placed.flatMap(({ userId, userKey, projectId: id }) =>
    userId !== null && id === projectId ? [{ user_id: userId, internal_id: userKey }] : [],
  );
  const inRange = named.filter(({ user_id: id }) => {
    const above = bytesOrder(id, from ?? '');
    return (sql.includes('user_id >=') ? above >= 0 : above > 0) && (end === undefined || bytesOrder(id, end) < 0);
  });
  return inRange.sort((a, b) => bytesOrder(a.user_id, b.user_id)).slice(0, Number(limit));
}

function bytesOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

afterAll(() => server.stop());

async function pageOf(query: string, key?: string): Promise<Page> {
  const response = await server.request(`/v1/users?${query}`, {}, key);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

async function namesWith(prefix: string, limit: number): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = `prefix=${encodeURIComponent(prefix)}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const page: Page = await pageOf(query);
    expect(page.users.length).toBeLessThanOrEqual(limit);
    names.push(...page.users.map(({ user_id }) => user_id));
    cursor = page.next_cursor;
  }
  return names;
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

test('a prefix finds the users whose ids begin with it, in the order of bytes, page by page', async () => {
  for (const limit of [1, 2, 50]) {
    expect(await namesWith('ad', limit)).toEqual(['ad%', 'ad_', 'ada', 'adam']);
    expect(await namesWith('😀', limit)).toEqual(['😀', '😀/?#']);
    expect(await namesWith('', limit)).toEqual(['ad%', 'ad_', 'ada', 'adam', 'bob', '\u{ffff}', '😀', '😀/?#']);
    expect(await namesWith('zoe', limit)).toEqual([]);
  }
});

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

test('a search finds nobody of another project', async () => {
  expect(await pageOf('prefix=', OTHER_READ_KEY)).toEqual({ users: [], next_cursor: null });
  expect(await pageOf(`internal_id=${userKeyOf(PROJECT.id, 'ada')}`, OTHER_READ_KEY)).toMatchObject({ users: [] });
});

test('a trait finds the users whom analytics names, and no value is part of the SQL', async () => {
  const questions = findByTrait('bob', 'not projected yet', 'ada');

  const page = await pageOf(`trait=${encodeURIComponent("e'mail:x' OR 1")}`);

  expect(page.users.map(({ user_id }) => user_id)).toEqual(['bob', 'ada']);
  expect(page.next_cursor).toBeNull();
  expect(questions).toHaveLength(2);
  for (const { sql } of questions) expect(sql).not.toContain("e'mail");
  expect(Object.values(questions[0]?.params ?? {})).toContain("e'mail");
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

test('a trait goes on behind the user whom its cursor names', async () => {
  const names = ['ada', 'bob'].toSorted((a, b) => (userKeyOf(PROJECT.id, a) < userKeyOf(PROJECT.id, b) ? -1 : 1));
  const questions = findByTrait(...names);

  const first = await pageOf('trait=plan:pro&limit=1');
  await pageOf(`trait=plan:pro&limit=1&cursor=${first.next_cursor}`);

  expect(first.users.map(({ user_id }) => user_id)).toEqual(names.slice(0, 1));
  const number = BigInt(`0x${userKeyOf(PROJECT.id, names[0] ?? '').slice(0, 32)}`).toString();
  expect(Object.values(questions[0]?.params ?? {})).not.toContain(number);
  expect(Object.values(questions[2]?.params ?? {})).toContain(number);
});

test('a page of wide profiles is short and has a cursor', async () => {
  const traits = JSON.stringify({ text: 'x'.repeat(3_000_000) });
  for (const name of ['wide 1', 'wide 2', 'wide 3', 'wide 4']) await server.addProfile(name, { traits });

  const page = await pageOf('prefix=wide');
  const rest = await pageOf(`prefix=wide&cursor=${page.next_cursor}`);

  expect(page.users.map(({ user_id }) => user_id)).toEqual(['wide 1', 'wide 2', 'wide 3']);
  expect(rest.users.map(({ user_id }) => user_id)).toEqual(['wide 4']);
  expect(rest.next_cursor).toBeNull();
});

const HEX = 'a'.repeat(64);

test.each([
  ['', 'search or prefix, trait, anonymous_id or internal_id is needed'],
  ['search=', 'search must not be empty'],
  ['search=a&prefix=b', 'prefix stands beside search'],
  [`search=${'a'.repeat(513)}`, 'search must have 1 to 512 characters, not 513'],
  ['search=a&cursor=Yg', 'cursor was not given by this search'],
  ['prefix=a&trait=b:c', 'trait stands beside prefix'],
  [`anonymous_id=a&internal_id=${HEX}`, 'internal_id stands beside anonymous_id'],
  ['prefix=a&prefix=b', 'prefix may be given once only'],
  ['prefix=%00', 'prefix must not hold a NUL character'],
  [`prefix=${'a'.repeat(513)}`, 'prefix must have at most 512 characters, not 513'],
  ['prefx=a', 'There is no parameter "prefx" here'],
  ['trait=plan', 'trait is not a name, a colon and a value'],
  ['trait=a%5C:b', 'trait is not a name, a colon and a value'],
  ['trait=a:%00', 'trait must not hold a NUL character'],
  [`trait=a:${'b'.repeat(2_047)}`, 'trait must have at most 2048 characters, not 2049'],
  ['prefix=a&limit=1001', 'limit must be a whole number from 1 to 1000, not 1001'],
  ['prefix=a&cursor=', 'cursor must not be empty'],
  ['prefix=a&cursor=Yg', 'cursor was not given by this search'],
  ['prefix=a&cursor=%21', 'cursor was not given by this search'],
  ['trait=a:b&cursor=Yg', 'cursor was not given by this search'],
])('the search "%s" is 400: %s', async (query, detail) => {
  const response = await server.request(`/v1/users?${query}`);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid-parameter', detail: expect.stringContaining(detail) });
});

test('a search is 503 with the name of the part that cannot be reached', async () => {
  server.database.unreachable = true;
  const byId = await server.request('/v1/users?anonymous_id=a');
  const profile = await server.request('/v1/users/ada');
  server.database.unreachable = false;
  server.analytics.unreachable = true;
  const byPrefix = await server.request('/v1/users?prefix=a');
  const byTrait = await server.request('/v1/users?trait=a:b');

  for (const [response, part] of [
    [byId, 'profiles'],
    [byPrefix, 'analytics'],
    [profile, 'profiles'],
    [byTrait, 'analytics'],
  ] as const) {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({
      code: 'unavailable',
      detail: `The part ${part} cannot be reached now. Send the same request again later.`,
    });
  }
});

test('a search past the limits of the project is 422', async () => {
  server.analytics.answer = () => new TidemarkError('QUERY_LIMIT', 'The question reads too many rows.');

  const response = await server.request('/v1/users?trait=a:b');

  expect([response.status, await response.json()]).toMatchObject([422, { code: 'query-limit' }]);
});
