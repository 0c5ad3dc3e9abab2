import { expect, test } from 'vitest';
import { pause, untilAborted } from '../../services/runtime/pause.ts';

const LONG_MS = 600_000;

test('a pause lasts as long as asked', async () => {
  const startedAt = performance.now();
  await pause(30, new AbortController().signal);

  // A timer may be a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThan(28);
});

test('a pause ends when the signal aborts', async () => {
  const stop = new AbortController();
  const paused = pause(LONG_MS, stop.signal);
  stop.abort();

  await expect(paused).resolves.toBeUndefined();
});

test('a pause ends at once where the signal has aborted before', async () => {
  await expect(pause(LONG_MS, AbortSignal.abort())).resolves.toBeUndefined();
});

test('work that never ends is waited for until the signal aborts', async () => {
  const stop = new AbortController();
  const waited = untilAborted(new Promise(() => undefined), stop.signal);
  stop.abort(new Error('over'));

  await expect(waited).rejects.toThrow('over');
});

test('work is not waited for where the signal has aborted before', async () => {
  await expect(untilAborted(new Promise(() => undefined), AbortSignal.abort(new Error('over')))).rejects.toThrow(
    'over',
  );
});

test('work that ends before the signal aborts gives what it gives', async () => {
  const { signal } = new AbortController();

  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
});
