import { expect, test } from 'vitest';
import { pause } from '../../services/runtime/pause.ts';

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
