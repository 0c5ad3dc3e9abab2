import { expect, onTestFinished, test, vi } from 'vitest';
import { ProgressWatch, type Passed, type Place } from '../../services/reading/progress-watch.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { MemoryProgress } from '../support/reading-fakes.ts';

const TOPIC = 'tidemark.track';
const STORE_AWAY = new TidemarkError('STORE_UNAVAILABLE', 'away, as ordered');

function place(offset: bigint, partition = 0): Place {
  return { topic: TOPIC, partition, offset };
}

function until(condition: () => boolean): Promise<unknown> {
  return vi.waitUntil(condition, { interval: 1, timeout: 20_000 });
}

function watching(intervalMs = 1) {
  const progress = new MemoryProgress();
  const watch = new ProgressWatch(progress, intervalMs);
  onTestFinished(() => watch.stop());
  const passed = (places: readonly Place[], waitMs: number, signal = new AbortController().signal): Promise<Passed> =>
    watch.passed(places, { waitMs, signal });
  return { progress, watch, passed };
}

test('without waiting it says how far each reader is', async () => {
  const { progress, passed } = watching();
  progress.move('both', TOPIC, 0, 7n);
  progress.move('projector', TOPIC, 1, 3n);
  progress.move('sink', TOPIC, 1, 2n);

  expect(await passed([place(7n)], 0)).toEqual({ projected: true, queryable: true });
  expect(await passed([place(8n)], 0)).toEqual({ projected: false, queryable: false });
  expect(await passed([place(7n), place(3n, 1)], 0)).toEqual({ projected: true, queryable: false });
  expect(await passed([place(1n, 2)], 0)).toEqual({ projected: false, queryable: false });
  expect(await passed([], 0)).toEqual({ projected: true, queryable: true });
});

test('waiting ends when both readers have passed', async () => {
  const { progress, passed } = watching();
  const settled = vi.fn();
  const answer = passed([place(5n)], 60_000).then((result) => (settled(), result));

  await until(() => progress.calls > 2);
  progress.move('projector', TOPIC, 0, 5n);
  const before = progress.calls;
  await until(() => progress.calls > before + 2);
  expect(settled).not.toHaveBeenCalled();
  progress.move('sink', TOPIC, 0, 5n);

  expect(await answer).toEqual({ projected: true, queryable: true });
});

test('waiting ends with how far they are when the time is over', async () => {
  const { progress, passed } = watching();
  progress.move('projector', TOPIC, 0, 5n);

  expect(await passed([place(5n)], 20)).toEqual({ projected: true, queryable: false });
});

test('nobody is answered by a look that began before they asked', async () => {
  const { progress, passed } = watching();
  const gate = Promise.withResolvers<void>();
  progress.gate = gate.promise;
  const early = passed([place(5n)], 0);
  progress.move('both', TOPIC, 0, 5n);
  const late = passed([place(5n)], 0);
  gate.resolve();

  expect(await early).toEqual({ projected: false, queryable: false });
  expect(await late).toEqual({ projected: true, queryable: true });
  expect(progress.mostAtOnce).toBe(1);
});

test('a thousand who wait share one look at a time, and none goes on when they are answered', async () => {
  const { progress, passed } = watching();
  const gate = Promise.withResolvers<void>();
  progress.gate = gate.promise;
  const answers = Array.from({ length: 1_000 }, (_, i) => passed([place(BigInt(1 + (i % 3)))], 60_000));
  progress.move('both', TOPIC, 0, 3n);
  gate.resolve();

  const results = await Promise.all(answers);
  await passed([place(1n)], 0);

  expect(results.every(({ projected, queryable }) => projected && queryable)).toBe(true);
  // The first look was the first caller's alone, the second was everybody's, the third was the one without waiting.
  expect(progress.calls).toBe(3);
  expect(progress.mostAtOnce).toBe(1);
});

test('those who ask without waiting share looks too', async () => {
  const { progress, passed } = watching(5);
  await passed([place(1n)], 0);

  await Promise.all(Array.from({ length: 500 }, () => passed([place(1n)], 0)));

  expect(progress.calls).toBe(2);
});

test('stopping answers everybody with what they saw, and refuses who comes after', async () => {
  const { progress, watch, passed } = watching();
  progress.move('projector', TOPIC, 0, 5n);
  const waiting = passed([place(5n)], 60_000);
  await until(() => progress.calls > 1);

  watch.stop();

  expect(await waiting).toEqual({ projected: true, queryable: false });
  await expect(passed([place(5n)], 0)).rejects.toMatchObject({ code: 'STOPPING' });
});

test('stopping refuses who has seen nothing yet', async () => {
  const { progress, watch, passed } = watching();
  progress.gate = new Promise(() => undefined);
  const waiting = passed([place(5n)], 60_000);

  watch.stop();

  await expect(waiting).rejects.toMatchObject({ code: 'STOPPING' });
});

test('who goes away stops the looking', async () => {
  const { progress, watch, passed } = watching();
  const gone = new AbortController();
  const waiting = passed([place(5n)], 60_000, gone.signal);
  await until(() => progress.calls > 1);

  gone.abort();
  await waiting;
  expect(watch.waiting).toBe(0);
  const calls = progress.calls;
  await passed([place(1n)], 0);

  expect(progress.calls).toBe(calls + 1);
  expect(await passed([place(1n)], 60_000, gone.signal)).toEqual({ projected: false, queryable: false });
});

test('a store that is away is waited for', async () => {
  const { progress, passed } = watching();
  progress.away = STORE_AWAY;
  const waiting = passed([place(5n)], 60_000);
  await until(() => progress.calls > 2);

  progress.move('both', TOPIC, 0, 5n);
  progress.away = undefined;

  expect(await waiting).toEqual({ projected: true, queryable: true });
});

test('a store that stays away is an error when the time is over, but for who has seen something', async () => {
  const { progress, passed } = watching();
  const waiting = passed([place(5n)], 100);
  await passed([place(5n)], 0);
  progress.away = STORE_AWAY;

  await expect(passed([place(5n)], 0)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await expect(passed([place(5n)], 10)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await waiting).toEqual({ projected: false, queryable: false });
});

test('an error that will not pass is not waited out', async () => {
  const { progress, passed } = watching();
  progress.away = new TidemarkError('STORE_REJECTED', 'as ordered');

  await expect(passed([place(5n)], 60_000)).rejects.toMatchObject({ code: 'STORE_REJECTED' });
});
