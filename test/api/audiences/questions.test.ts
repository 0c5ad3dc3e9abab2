import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

const GOLD = { trait: 'tier', is: 'gold' };
const SEEN = { first: '0', last: '0' };
const USERS = [
  { user_number: '1', user_id: 'ada', anonymous_id: '', internal_id: userKeyOf(PROJECT.id, 'ada'), ...SEEN },
  { user_number: '2', user_id: '', anonymous_id: 'cookie', internal_id: anonymousKeyOf(PROJECT.id, 'cookie'), ...SEEN },
];

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
});

afterAll(() => server.stop());

interface Reply {
  readonly status: number;
  readonly body: { readonly errors?: readonly { readonly path: string }[] };
}

async function preview(body: unknown, key?: string): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await server.request('/v1/audiences/preview', { method: 'POST', body: text }, key);
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

async function pathsAtFault(body: unknown): Promise<readonly string[] | undefined> {
  const reply = await preview(body);
  expect(reply.status).toBe(400);
  return reply.body.errors?.map(({ path }) => path);
}

test('an audience is counted in the project of the key, and a sample of ten is given unless told otherwise', async () => {
  const asked: Query[] = [];
  server.analytics.answer = (query) => {
    asked.push(query);
    const counted = [{ count: '2', users: query.sql.includes('groupArraySorted') ? ['1', '2'] : [] }];
    return { rows: query.sql.includes('AS user_number') ? USERS : counted, tookMs: 1.7284, rowsRead: 4, bytesRead: 56 };
  };

  const reply = await preview('{"definition":{"trait":"n","is":9007199254740993},"ignored":true}');
  await preview({ definition: GOLD, sample: 0 });
  await preview('{"definition":{"trait":"n","is":1},"sample":1e1}');

  const sampleUsers = [
    { user_id: 'ada', anonymous_id: null, internal_id: userKeyOf(PROJECT.id, 'ada') },
    { user_id: null, anonymous_id: 'cookie', internal_id: anonymousKeyOf(PROJECT.id, 'cookie') },
  ];
  const body = { count: 2, sample: ['ada'], sample_users: sampleUsers, took_ms: 3, rows_read: 8 };
  expect(reply).toEqual({ status: 200, body });
  const counting = asked.filter(({ sql }) => sql.includes('AS count'));
  const samples = counting.map(({ sql }) => /groupArraySorted\((\d+)\)/.exec(sql)?.[1]);
  expect(Object.values(asked[0]?.params ?? {})).toEqual(expect.arrayContaining([PROJECT.id, '9007199254740993']));
  expect(samples).toEqual(['40', undefined, '40']);
});

test('what is wrong is named, all of it, from the root of the body', async () => {
  expect(await pathsAtFault('[]')).toEqual(['']);
  expect(await pathsAtFault('null')).toEqual(['']);
  expect(await pathsAtFault('{')).toEqual(['']);
  expect(await pathsAtFault({})).toEqual(['/definition']);
  expect(await pathsAtFault({ definition: null })).toEqual(['/definition']);
  expect(await pathsAtFault({ sample: -1 })).toEqual(['/definition', '/sample']);
  expect((await pathsAtFault({ definition: { all: [GOLD, { trait: 7, is: 1 }] } }))?.[0]).toMatch(
    /^\/definition\/all\/1/,
  );
});

test('a question about a moving date that compares texts is answered with a warning', async () => {
  server.analytics.answer = () => ({
    rows: [{ count: '0', users: [] }],
    tookMs: 1,
    rowsRead: 0,
    bytesRead: 0,
  });

  const warned = await preview({ definition: { trait: 'signed_up', gte: '90d' } });
  const plain = await preview({ definition: { trait: 'signed_up', date: { since: '90d' } } });

  expect(warned).toMatchObject({
    status: 200,
    body: { warnings: [{ pointer: '/definition/gte', message: expect.stringContaining('"date"') }] },
  });
  expect(plain).toMatchObject({ status: 200 });
  expect(plain.body).not.toHaveProperty('warnings');
});
