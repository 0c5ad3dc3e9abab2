import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { OTHER_PROJECT, OTHER_READ_KEY, PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

let server: ReadingServer;
let queries: Query[] = [];
let rows: readonly Record<string, unknown>[] = [];

beforeAll(async () => {
  server = await ReadingServer.start();
});
beforeEach(() => {
  queries = [];
  rows = [];
  server.analytics.unreachable = false;
  server.analytics.answer = (query) => {
    queries.push(query);
    return { rows, tookMs: 1, rowsRead: 10, bytesRead: 1 };
  };
});
afterAll(() => server.stop());

async function post(path: string, body: unknown, key?: string): Promise<{ status: number; json: Problem }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await server.request(`/v1/events/${path}`, { method: 'POST', body: text }, key);
  return { status: response.status, json: (await response.json()) as Problem };
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

const WITHIN = { last: '7d' };
const COUNT = { measure: 'count' };

const BOTH: readonly (readonly [string, object])[] = [
  ['/color', { color: 1 }],
  ['/event', { event: 7 }],
  ['/event', { event: '' }],
  ['/event', { event: 'x'.repeat(513) }],
  ['/event', { event: [] }],
  ['/event', { event: Array.from({ length: 51 }, (_, index) => `e${index}`) }],
  ['/event/1', { event: ['a', null] }],
  ['/where', { where: {} }],
  ['/where', { where: [] }],
  ['/where/0', { where: [{ property: 'a' }] }],
  ['/where/0/property', { where: [{ property: {}, is: 1 }] }],
  ['/where/0/is', { where: [{ property: 'a', is: null }] }],
  ['/where/100', { where: Array.from({ length: 101 }, () => ({ property: 'a', is: 1 })) }],
  ['/within', { within: {} }],
  ['/within/last', { within: { last: 'P1D' } }],
  ['/within/between', { within: { between: ['2026-01-02', '2026-01-01'] } }],
  ['/within/since', { within: { since: '2026-02-30' } }],
  ['/users', { users: {} }],
  ['/users/all/0/event', { users: { all: [{ event: 7 }] } }],
];

describe.each([
  ['query', {}],
  ['counts', COUNT],
] as const)('POST /v1/events/%s', (path, sound) => {
  test.each(BOTH.filter(([at]) => at !== '/where/100'))(
    `${path} refuses what is wrong at %s: %j`,
    async (at, wrong) => {
      const { status, json } = await post(path, { ...sound, ...wrong });

      expect([status, json.code, json.errors?.map((error) => error.path)]).toEqual([400, 'invalid-body', [at]]);
      expect(queries).toEqual([]);
    },
  );

  test(`${path} refuses more conditions than an audience may have`, async () => {
    const where = Array.from({ length: 100 }, () => ({ property: 'a', is: 1 }));

    expect((await post(path, { ...sound, where })).status).toBe(200);
    const { status, json } = await post(path, { ...sound, where, users: { trait: 'a', is: 1 } });

    expect([status, json.errors]).toEqual([400, [{ path: '/users', message: 'is one condition more than 100' }]]);
  });

  test.each(['{', '[]', '7', '{"event":"\\u0000"}'])(`${path} refuses the body %s`, async (body) => {
    expect(await post(path, body)).toMatchObject({ status: 400, json: { code: 'invalid-body' } });
  });

  test(`${path} is 429 while a project has too many questions`, async () => {
    server.analytics.answer = () => new TidemarkError('TOO_MANY_QUESTIONS', 'too many');

    expect(await post(path, sound)).toMatchObject({ status: 429, json: { code: 'overloaded' } });
  });

  test(`${path} asks about the project of the key alone, and under a queue place of its own`, async () => {
    await post(path, { ...sound, event: 'x', where: [{ property: 'a', is: 1 }], users: { trait: 'a', is: 1 } });
    const own = queries.map(({ projectId, params }) => [projectId, Object.values(params).includes(PROJECT.id)]);
    queries = [];
    await post(path, sound, OTHER_READ_KEY);

    expect(new Set(own.flat())).toEqual(new Set([PROJECT.id, true]));
    expect(queries.map(({ projectId }) => projectId)).toEqual(queries.map(() => OTHER_PROJECT.id));
    expect(queries.flatMap(({ params }) => Object.values(params))).not.toContain(PROJECT.id);
  });
});

describe('POST /v1/events/query', () => {
  test.each([
    ['/cursor', { cursor: 'none' }],
    ['/measure', { measure: 'count' }],
  ])('a wrong member at %s is refused: %j', async (at, wrong) => {
    const { status, json } = await post('query', wrong);

    expect([status, json.code, json.errors?.map((error) => error.path)]).toEqual([400, 'invalid-body', [at]]);
  });

  test('an empty project has an empty page', async () => {
    expect(await post('query', {})).toEqual({ status: 200, json: { events: [], next_cursor: null } });
  });
});

describe('POST /v1/events/counts', () => {
  test.each([
    ['/of', { of: 'total' }],
    ['/of', { measure: 'users', of: 'total' }],
    ['/of', { measure: 'sum' }],
    ['/of', { measure: 'average', of: [] }],
    ['/p', { measure: 'sum', of: 'total', p: 5 }],
    ['/p', { measure: 'percentile', of: 'total' }],
    ['/p', { measure: 'percentile', of: 'total', p: 100.5 }],
    ['/p', { measure: 'percentile', of: 'total', p: '50' }],
    ['/interval', { interval: 'month', within: WITHIN }],
    ['/interval', { interval: 'hour', within: { last: '101d' } }],
    ['/within', { interval: 'day' }],
    ['/within', { interval: 'day', within: { before: '2026-01-01' } }],
    ['/within', { compare: 'previous' }],
    ['/compare', { compare: 'next', within: WITHIN }],
    ['/timezone', { timezone: 'Mars/Olympus' }],
    ['/timezone', { timezone: '+02:00' }],
    ['/split', { split: 'plan' }],
    ['/split', { split: {} }],
    ['/split', { split: { property: 'a', trait: 'b' } }],
    ['/split/property', { split: { property: 7 } }],
    ['/split/top', { split: { trait: 'a', top: 51 } }],
    ['/split/top', { split: { trait: 'a', top: 0 } }],
    ['/split/limit', { split: { trait: 'a', limit: 5 } }],
    ['/limit', { limit: 5 }],
  ])('a wrong member at %s is refused: %j', async (at, wrong) => {
    const { status, json } = await post('counts', { ...COUNT, ...wrong });

    expect([status, json.code, json.errors?.map((error) => error.path)]).toEqual([400, 'invalid-body', [at]]);
    expect(queries).toEqual([]);
  });

  test('digits of a sum are those that analytics found', async () => {
    rows = [{ bucket: 0, series: 0, n: '2', millionths: '18446744073709551615000001', others: '0', others_sum: 0 }];
    const body = JSON.stringify({ measure: 'sum', of: 'total' });
    const response = await server.request('/v1/events/counts', { method: 'POST', body });

    expect(await response.text()).toContain(
      '"series":[{"value":null,"other":false,"values":[18446744073709551615.000001]}]',
    );
  });

  test('a sum past the range of doubles is null', async () => {
    rows = [{ bucket: 0, series: 0, n: '2', millionths: null, others: '2', others_sum: null }];

    expect((await post('counts', { measure: 'sum', of: 'total' })).json).toMatchObject({
      series: [{ values: [null] }],
    });
  });

  test('buckets are those of the time zone asked for, with the period before', async () => {
    const within = { between: ['2026-10-25', '2026-10-27'] };
    const body = { ...COUNT, interval: 'day', timezone: 'Europe/Berlin', within, compare: 'previous' };

    expect((await post('counts', body)).json).toEqual({
      measure: 'count',
      interval: 'day',
      timezone: 'Europe/Berlin',
      from: '2026-10-24T22:00:00.000000Z',
      to: '2026-10-26T23:00:00.000000Z',
      buckets: [
        { start: '2026-10-24T22:00:00.000000Z', local: '2026-10-25T00:00:00+02:00' },
        { start: '2026-10-25T23:00:00.000000Z', local: '2026-10-26T00:00:00+01:00' },
      ],
      series: [{ value: null, other: false, values: [0, 0], previous: [0, 0] }],
      previous: {
        from: '2026-10-22T22:00:00.000000Z',
        to: '2026-10-24T22:00:00.000000Z',
        buckets: [
          { start: '2026-10-22T22:00:00.000000Z', local: '2026-10-23T00:00:00+02:00' },
          { start: '2026-10-23T22:00:00.000000Z', local: '2026-10-24T00:00:00+02:00' },
        ],
      },
      took_ms: expect.any(Number),
      rows_read: 20,
    });
  });
});

test('events have the traits of their users that were asked for, every digit kept', async () => {
  const { userKey } = await server.addProfile('ada', { traits: '{"name":"Ada","big":12345678901234567890}' });
  const times = { occurred: '1', received: '2', precedence: '1' };
  const event = { ...times, message_id: 'm', event: 'Ran', session_id: '', anonymous_id: '', properties_text: '{}' };
  rows = [{ ...event, user: '1', user_id: 'ada', internal_id: userKey, size: '2' }];
  const body = JSON.stringify({ traits: 'name,big,plan' });

  const response = await server.request('/v1/events/query', { method: 'POST', body });

  expect(await response.text()).toContain('"user_traits":{"name":"Ada","big":12345678901234567890,"plan":null}');
  for (const traits of ['name,name', 7])
    expect(await post('query', { traits })).toMatchObject({ status: 400, json: { errors: [{ path: '/traits' }] } });
});
