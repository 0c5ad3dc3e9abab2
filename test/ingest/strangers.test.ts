import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Call } from '../../services/http/call.ts';
import { UNAUTHORIZED } from '../../services/http/access/authenticate.ts';
import { NO_PATH, RouteTable } from '../../services/http/route-table.ts';
import type { Route } from '../../services/http/route.ts';
import { RefusalCounts } from '../../services/ingest/refusal-counts.ts';
import { Strangers } from '../../services/ingest/strangers.ts';
import { NO_PROJECT_ID } from '../../services/stores/service-state/refusal-store.ts';
import { HandedRefusals } from '../support/http/handed-refusals.ts';

const routeAt = (path: string): Route => ({
  method: 'POST',
  path,
  aliases: [],
  scope: 'write',
  bodyLimitBytes: 32_768,
  style: 'problem',
  handle: () => ({ status: 200, body: '' }),
});
const TRACK = routeAt('/v1/track');
const TABLE = new RouteTable([
  { routes: [TRACK, routeAt('/v1/users/:user_id'), routeAt('/v1/users/:user_id/events')] },
]);
const KEY = 'tm_w_0123456789012345678901234567890123456789012';

let store: HandedRefusals;
let counts: RefusalCounts;
let strangers: Strangers;
let warned: object[];

beforeEach(() => {
  vi.useFakeTimers();
  store = new HandedRefusals();
  warned = [];
  counts = new RefusalCounts(store, { debug: () => undefined });
  strangers = new Strangers({ counts, logger: { warn: (line: object) => warned.push(line) } });
});
afterEach(() => {
  strangers.stop();
  vi.useRealTimers();
});

function callOf(url: string, key?: string, route?: Route): Call<Route> {
  const headers = key === undefined ? {} : { api_key: key };
  const req = { url, method: 'POST', headers, socket: { remoteAddress: '192.0.2.7' } };
  const call = new Call<Route>(req as never, {} as never, 'id');
  call.route = route;
  return call;
}

function addWrongKey(key: string | undefined): void {
  strangers.add(callOf('/v1/track', key, TRACK), UNAUTHORIZED, TABLE);
}

test('a wrong key and a wrong path are counted apart, with the beginning of the key and the address', async () => {
  for (let n = 0; n < 5; n++) addWrongKey(KEY);
  addWrongKey(undefined);
  strangers.add(callOf('/v1/tracks?api_key=secret', KEY), NO_PATH, TABLE);
  await counts.flush();

  expect(store.all.map(({ keyId, path, code, count, example }) => ({ keyId, path, code, count, example }))).toEqual([
    { keyId: 'tm_w_012…', path: '/v1/track', code: 'unauthorized', count: 5, example: null },
    { keyId: '', path: '/v1/track', code: 'unauthorized', count: 1, example: null },
    { keyId: 'tm_w_012…', path: '/v1/tracks', code: 'not-found', count: 1, example: null },
  ]);
  expect(
    store.all.every(({ projectId, message }) => projectId === NO_PROJECT_ID && message.includes('192.0.2.7')),
  ).toBe(true);
  expect(strangers.total).toBe(7);
});

test('an object that is not there, and what is refused to a known key, are no strangers', async () => {
  const known = { id: 'key_1', name: null, project: null, scopes: ['admin'] } as const;
  strangers.add(callOf('/v1/users/ada', KEY, TRACK), { refused: 'not-found', detail: 'No such user.' }, TABLE);
  strangers.add(callOf('/v1/track', KEY, TRACK), { refused: 'invalid-body', detail: 'wrong' }, TABLE);
  const call = callOf('/v1/tracks', KEY);
  call.key = known;
  strangers.add(call, NO_PATH, TABLE);
  await counts.flush();

  expect(store.all).toEqual([]);
});

test.each([
  ['/v1/tracks', '/v1/tracks'],
  ['/v1/users/ada/evnts', '/v1/users/…'],
  ['/users/ada', '/users/…'],
  ['/v1/user/ada', '/v1/user/…'],
  ['/v1/v1/track', '/v1/v1/…'],
  [`/v1/${KEY}`, '/v1/…'],
  [`/v1/projects/${KEY}/settings`, '/v1/projects/…'],
  ['/v1/ada%40shop.example', '/v1/…'],
  ['/v1/users/', '/v1/users/'],
  [`/${'x'.repeat(8_000)}`, '/…'],
  ['/'.repeat(8_000), '//…'],
  ['*', '…'],
])('the path %.40s is kept as %s', (path, known) => {
  expect(TABLE.knownPart(path)).toBe(known);
});

test.each(['hunter2', 'x', '', 'a key with blanks', 'ключ ключ ключ'])(
  'the key "%s" is never kept whole',
  async (key) => {
    addWrongKey(key);
    await counts.flush();

    expect(store.all[0]?.keyId.length ?? 0).toBeLessThanOrEqual(Math.max(1, key.length / 2));
    expect(store.all[0]?.keyId).toMatch(/^([\x21-\x7e]*…)?$/);
  },
);

test('random keys and paths fill no more than a project may, and their causes stay apart', async () => {
  for (let n = 0; n < 3_000; n++) {
    addWrongKey(`${n}-${'x'.repeat(40)}`);
    strangers.add(callOf(`/v1/p${n}`, KEY), NO_PATH, TABLE);
  }
  await counts.flush();

  expect(store.all.length).toBeLessThanOrEqual(1_002);
  const countOf = (wanted: string): number =>
    store.all.filter(({ code }) => code === wanted).reduce((sum, { count }) => sum + count, 0);
  expect([countOf('unauthorized'), countOf('not-found')]).toEqual([3_000, 3_000]);
});

test('one line a minute warns, with what came since the one before', () => {
  addWrongKey(KEY);
  addWrongKey(KEY);
  vi.advanceTimersByTime(2_000);
  expect(warned).toMatchObject([{ requests: { unauthorized: 2 }, last: { path: '/v1/track', key: 'tm_w_012…' } }]);

  for (let s = 0; s < 118; s++) {
    addWrongKey(KEY);
    vi.advanceTimersByTime(1_000);
  }
  strangers.stop();

  const [, second, third] = warned as { requests: { unauthorized: number } }[];
  expect(warned.length).toBeLessThanOrEqual(3);
  expect((second?.requests.unauthorized ?? 0) + (third?.requests.unauthorized ?? 0)).toBe(118);
  expect(JSON.stringify(warned)).not.toContain(KEY);
});
