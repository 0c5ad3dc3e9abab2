import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from '../../services/runtime/logger.ts';
import { RefusalCounts, type CountedCall } from '../../services/ingest/refusal-counts.ts';
import type { Refusal } from '../../services/http/problems.ts';
import type { Route } from '../../services/http/route.ts';
import { HandedRefusals } from '../support/http/handed-refusals.ts';
import { OTHER_PROJECT, PROJECT } from '../support/http/ingest-server.ts';

const TRACK: Route = {
  method: 'POST',
  path: '/v1/track',
  scope: 'write',
  bodyLimitBytes: 32_768,
  style: 'problem',
  handle: () => ({ status: 200, body: '' }),
};

function countsOn(store = new HandedRefusals(), nowMs = () => 1_000) {
  const counts = new RefusalCounts(store, createLogger('silent', new Writable()), { nowMs });
  return { store, counts };
}

function callOf(body = '', project = PROJECT): CountedCall {
  const key = { id: 'key_1', name: null, project, scopes: ['write'] } as const;
  return { key, namedProject: undefined, route: TRACK, body: Buffer.from(body), headers: { 'user-agent': 'sdk/1' } };
}

function refusalAt(...paths: readonly string[]): Refusal {
  return {
    refused: 'invalid-body',
    detail: 'wrong',
    errors: paths.map((path) => ({ path, message: `wrong ${path}` })),
  };
}

test('refusals are grouped by path, problem and pointer, whose indices do not count', async () => {
  let now = 1_000;
  const { store, counts } = countsOn(undefined, () => now++);
  counts.add(callOf('{"a":1}'), refusalAt('/batch/0/timestamp', '/batch/17/timestamp', '/batch/3/user_id'));
  counts.add(callOf('{"b":2}'), refusalAt('/batch/5/timestamp'));
  counts.add(callOf(), { refused: 'rate-limited', detail: 'This project may send 5 requests a second.' });
  await counts.flush();

  const common = { projectId: PROJECT.id, keyId: 'key_1', path: '/v1/track', userAgent: 'sdk/1' };
  expect(store.all).toMatchObject([
    { ...common, code: 'invalid-body', pointer: '/batch/*/timestamp', count: 2, firstAtMs: 1_000, lastAtMs: 1_002 },
    { ...common, code: 'invalid-body', pointer: '/batch/*/user_id', count: 1, message: 'wrong /batch/3/user_id' },
    { ...common, code: 'rate-limited', pointer: '', count: 1, example: null },
  ]);
  expect(store.all[0]).toMatchObject({ example: '{"a":1}', message: 'wrong /batch/0/timestamp' });
  expect(counts.total).toBe(3);
});

test('what has no key or no project, and what a read key requested, is not counted', async () => {
  const { store, counts } = countsOn();
  counts.add({ ...callOf(), key: undefined }, refusalAt('/a'));
  const key = { id: 'key_2', name: null, project: null, scopes: ['admin'] } as const;
  counts.add({ ...callOf(), key }, refusalAt('/a'));
  counts.add({ ...callOf(), route: { ...TRACK, scope: 'read' } }, refusalAt('/a'));
  await counts.flush();

  expect(store.all).toEqual([]);
});

test('a left-out item is counted with the beginning of itself, every digit kept', async () => {
  const { store, counts } = countsOn();
  const body = '{"batch":[{"event":"ok"},{"event":7,"n":12345678901234567890}]}';
  const rejected = [
    { index: 1, errors: [{ path: '/batch/1/event', message: 'must be string' }] },
    { index: 2, errors: [] },
    { index: 3, errors: [] },
  ];
  counts.addItems(callOf(body), JSON.stringify(rejected), 3);
  await counts.flush();

  expect(store.all).toMatchObject([
    { pointer: '/batch/*/event', message: 'must be string', example: '{"event":7,"n":12345678901234567890}' },
    { pointer: '/batch/*', count: 2, example: null },
  ]);
  expect(counts.total).toBe(3);
});

test('what was mended is counted by its pointer, and is no refusal', async () => {
  const { store, counts } = countsOn();
  const body = '{"batch":[{"event":1},{"event":2}]}';
  const told = [0, 1].map((index) => ({ path: `/batch/${index}/event`, message: 'is not a text: taken as one' }));
  counts.addAdjusted(callOf(body), JSON.stringify(told), 5);
  counts.addAdjusted(callOf('{"event":3}'), JSON.stringify([{ path: '/event', message: 'x' }]), 1);
  await counts.flush();

  expect(store.all).toMatchObject([
    { code: 'adjusted', pointer: '/batch/*/event', count: 2, example: '{"event":1}' },
    { code: 'adjusted', pointer: '/batch/*', count: 3, example: null },
    { code: 'adjusted', pointer: '/event', count: 1, example: '{"event":3}' },
  ]);
  expect(counts.total).toBe(0);
});

test('an error that quotes what ends the list of errors is counted like others', async () => {
  const { store, counts } = countsOn();
  const rejected = [{ index: 0, errors: [{ path: '/batch/0/a', message: 'not "errors":[]' }] }];
  counts.addItems(callOf('{}'), JSON.stringify(rejected), 1);
  await counts.flush();

  expect(store.all).toMatchObject([{ pointer: '/batch/*/a', message: 'not "errors":[]', example: null }]);
});

test('an example is cut, holds no NUL, no half character and no key', async () => {
  const { store, counts } = countsOn();
  counts.add(callOf(`{"writeKey": "secret-key","a":"${'x'.repeat(2_000)}"`), refusalAt('/a'));
  counts.add(callOf(`${'y'.repeat(998)}\0🛍`), refusalAt('/b'));
  counts.add(callOf(`{"writeKey":"unterminated`), refusalAt('/c'));
  await counts.flush();

  const [first, second, third] = store.all.map(({ example }) => example ?? '');
  expect(first).toMatch(/^\{"writeKey": "…","a":"x+$/);
  expect(first).toHaveLength(1_000);
  expect(second).toBe(`${'y'.repeat(998)}\uFFFD\uFFFD`);
  expect(third).toBe('{"writeKey":"…');
});

test('made-up members fill no more than the groups of their own project', async () => {
  const { store, counts } = countsOn();
  for (let n = 0; n < 5_000; n++) counts.add(callOf('{}'), refusalAt(`/properties/m${n}`));
  counts.add(callOf('{}', OTHER_PROJECT), refusalAt('/timestamp'));
  await counts.flush();

  const other = store.all.find(({ code }) => code === 'other');
  expect(store.all.filter(({ projectId }) => projectId === PROJECT.id)).toHaveLength(1_001);
  expect(other).toMatchObject({ path: '', pointer: '', count: 4_000, example: null });
  expect(store.all.filter(({ projectId }) => projectId === OTHER_PROJECT.id)).toMatchObject([
    { pointer: '/timestamp' },
  ]);
});

test('all projects together have a bound, and each is counted all the same', async () => {
  const { store, counts } = countsOn();
  for (let p = 0; p < 12; p++) {
    for (let n = 0; n < 1_000; n++) counts.add(callOf('{}', { ...PROJECT, id: `p${p}` }), refusalAt(`/m${n}`));
  }
  await counts.flush();

  expect(store.all.length).toBeLessThanOrEqual(10_002);
  expect(store.all.filter(({ projectId }) => projectId === 'p11')).toMatchObject([{ code: 'other', count: 1_000 }]);
  expect(Math.max(...store.calls.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
});

test('the counts stay while the store is unavailable, and are there once it is back', async () => {
  const { store, counts } = countsOn();
  store.unreachable = true;
  counts.add(callOf('{}'), refusalAt('/a'));
  await counts.flush();
  counts.add(callOf('{}'), refusalAt('/a'));
  store.unreachable = false;
  await counts.stop();

  expect(store.all).toMatchObject([{ pointer: '/a', count: 2 }]);
});

test('what is refused while counts are handed over is handed over too before the process ends', async () => {
  const { store, counts } = countsOn();
  const deleting = Promise.withResolvers<void>();
  store.deleteOld = () => deleting.promise;
  counts.add(callOf(), refusalAt('/a'));
  const flushing = counts.flush();
  counts.add(callOf(), refusalAt('/a'));
  const stopped = counts.stop();
  deleting.resolve();
  await Promise.all([flushing, stopped]);

  expect(store.all).toMatchObject([
    { pointer: '/a', count: 1 },
    { pointer: '/a', count: 1 },
  ]);
});
