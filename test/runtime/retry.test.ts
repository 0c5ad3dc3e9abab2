import { expect, test, vi } from 'vitest';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { retry } from '../../services/runtime/retry.ts';

const unreachable = new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
const signal = new AbortController().signal;

test('a call with a retryable error is repeated until it succeeds, and reported once', async () => {
  const call = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(unreachable)
    .mockRejectedValueOnce(unreachable)
    .mockResolvedValue('done');
  const [onTrouble, onRecovery] = [vi.fn(), vi.fn()];

  expect(await retry(call, { signal, onTrouble, onRecovery, firstWaitMs: 1 })).toBe('done');

  expect(call).toHaveBeenCalledTimes(3);
  expect(onTrouble).toHaveBeenCalledExactlyOnceWith(unreachable);
  expect(onRecovery).toHaveBeenCalledOnce();
});

test('a call that succeeds at once reports nothing', async () => {
  const [onTrouble, onRecovery] = [vi.fn(), vi.fn()];

  await retry(async () => 1, { signal, onTrouble, onRecovery });

  expect(onTrouble).not.toHaveBeenCalled();
  expect(onRecovery).not.toHaveBeenCalled();
});

test('an error that is not retryable is thrown at once', async () => {
  const call = vi.fn(async () => Promise.reject(new TidemarkError('STORE_REJECTED', 'no')));

  await expect(retry(call, { signal })).rejects.toMatchObject({ code: 'STORE_REJECTED' });

  expect(call).toHaveBeenCalledOnce();
});

test('an abort ends the wait of a retry', async () => {
  const stop = new AbortController();
  const attempt = retry(async () => Promise.reject(unreachable), {
    signal: stop.signal,
    firstWaitMs: 60_000,
    longestWaitMs: 60_000,
  });

  stop.abort();

  await expect(attempt).rejects.toMatchObject({ code: 'STOPPING' });
});

test('after an abort nothing is called', async () => {
  const call = vi.fn(async () => 1);

  await expect(retry(call, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'STOPPING' });

  expect(call).not.toHaveBeenCalled();
});
