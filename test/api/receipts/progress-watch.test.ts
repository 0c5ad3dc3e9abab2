import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ProgressWatch } from '../../../services/api/receipts/progress-watch.ts';
import type { Passed, RecordPosition } from '../../../services/api/receipts/wanted-positions.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { MemoryProgress } from '../../support/http/reading-fakes.ts';

const TOPIC = 'tidemark.track';
const STORE_UNREACHABLE = new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');

function place(offset: bigint, partition = 0): RecordPosition {
  return { topic: TOPIC, partition, offset };
}

function until(condition: () => boolean): Promise<unknown> {
  return vi.waitUntil(condition, { interval: 1, timeout: 20_000 });
}

const collect = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

function watching(intervalMs = 1) {
  const progress = new MemoryProgress();
  const watch = new ProgressWatch(progress, intervalMs);
  onTestFinished(() => watch.stop());
  const passed = (places: readonly RecordPosition[], waitMs: number, client = new PassThrough()): Promise<Passed> =>
    watch.passed(
      { name: places.map((wanted) => `${wanted.partition}:${wanted.offset}`).join(), places },
      { waitMs, client },
    );
  return { progress, watch, passed };
}

test('a check that does not wait tells the progress of each reader', async () => {
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

test('a check that does not wait shares reads of the progress too', async () => {
  const { progress, passed } = watching(5);
  await passed([place(1n)], 0);

  await Promise.all(Array.from({ length: 500 }, () => passed([place(1n)], 0)));

  expect(progress.calls).toBe(2);
});

const EVERYWHERE = Array.from({ length: 450 }, (_, partition) => place(1_000n + BigInt(partition), partition));

test('those with the same receipt share its places, as long as one of them waits', async () => {
  const { progress, watch, passed } = watching();
  const gone = new PassThrough();
  const first = passed(EVERYWHERE, 60_000, gone);
  const others = Array.from({ length: 100 }, () => passed(EVERYWHERE, 60_000));
  const another = passed([place(5n)], 60_000);
  expect([watch.waiting, watch.wanted]).toEqual([102, 2]);

  gone.destroy();
  await first;
  expect([watch.waiting, watch.wanted]).toEqual([101, 2]);
  for (const { topic, partition, offset } of EVERYWHERE) progress.move('both', topic, partition, offset);
  await Promise.all([...others, another]);

  expect([watch.waiting, watch.wanted]).toEqual([0, 0]);
});

test('whatever order readers come past the places in, it ends when they are past them all', async () => {
  const orders = fc.array(fc.nat(4), { minLength: 1, maxLength: 30 });
  const run = async (moves: readonly number[]): Promise<void> => {
    const { progress, passed } = watching(0);
    const wanted = [0, 1, 2, 3, 4].map((partition) => place(2n, partition));
    const answer = passed(wanted, 60_000);
    const offsets = [0n, 0n, 0n, 0n, 0n];
    for (const partition of moves) {
      offsets[partition]!++;
      progress.move('both', TOPIC, partition, offsets[partition]!);
      const isPassed = offsets.every((offset) => offset >= 2n);
      expect(await passed(wanted, 0)).toEqual({ projected: isPassed, queryable: isPassed });
    }
    for (const { topic, partition } of wanted) progress.move('both', topic, partition, 2n);
    expect(await answer).toEqual({ projected: true, queryable: true });
  };

  await fc.assert(fc.asyncProperty(orders, run), { numRuns: 50 });
});

test('three thousand who wait take no timer each, and a few hundred bytes beside the request', async () => {
  const { progress, watch } = watching();
  const client = { closed: false, on: (): unknown => client };
  const ask = (i: number): Promise<Passed> =>
    watch.passed({ name: `receipt ${i}`, places: [place(BigInt(i + 1))] }, { waitMs: 60_000, client: client as never });
  const answers: Promise<Passed>[] = [ask(0)];
  await until(() => progress.calls > 1);
  const [before, timersBefore] = [heapUsed(), timers()];

  for (let i = 1; i < 3_000; i++) answers.push(ask(i));
  const calls = progress.calls;
  await until(() => progress.calls > calls + 2);

  expect(timers() - timersBefore).toBeLessThan(100);
  expect((heapUsed() - before) / 3_000).toBeLessThan(1_000);
  progress.move('both', TOPIC, 0, 3_000n);
  await Promise.all(answers);
});

test('three thousand who wait for the same 450 places take no more than for one', async () => {
  const { watch, progress } = watching();
  const client = { closed: false, on: (): unknown => client };
  const options = { waitMs: 60_000, client: client as never };
  const ask = (): Promise<Passed> => watch.passed({ name: 'a receipt', places: [...EVERYWHERE] }, options);
  const answers = [ask()];
  await until(() => progress.calls > 1);
  const before = heapUsed();

  for (let i = 1; i < 3_000; i++) answers.push(ask());

  expect((heapUsed() - before) / 3_000).toBeLessThan(1_000);
  watch.stop();
  await Promise.allSettled(answers);
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
  const gone = new PassThrough();
  const waiting = passed([place(5n)], 60_000, gone);
  await until(() => progress.calls > 1);

  gone.destroy();
  await waiting;
  expect(watch.waiting).toBe(0);
  const calls = progress.calls;
  await passed([place(1n)], 0);

  expect(progress.calls).toBe(calls + 1);
  expect(await passed([place(1n)], 60_000, gone)).toEqual({ projected: false, queryable: false });
});

test('a store that is unreachable is waited for', async () => {
  const { progress, passed } = watching();
  progress.unreachable = STORE_UNREACHABLE;
  const waiting = passed([place(5n)], 60_000);
  await until(() => progress.calls > 2);

  progress.move('both', TOPIC, 0, 5n);
  progress.unreachable = undefined;

  expect(await waiting).toEqual({ projected: true, queryable: true });
});

test('a store that stays unreachable is an error when the time is over, but for who has seen something', async () => {
  const { progress, passed } = watching();
  const waiting = passed([place(5n)], 100);
  await passed([place(5n)], 0);
  progress.unreachable = STORE_UNREACHABLE;

  await expect(passed([place(5n)], 0)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await expect(passed([place(5n)], 10)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await waiting).toEqual({ projected: false, queryable: false });
});

test('an error that will not pass is not waited out', async () => {
  const { progress, passed } = watching();
  progress.unreachable = new TidemarkError('STORE_REJECTED', 'as ordered');

  await expect(passed([place(5n)], 60_000)).rejects.toMatchObject({ code: 'STORE_REJECTED' });
});
