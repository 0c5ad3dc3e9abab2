import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, and at once when the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects only where the signal aborts.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** What the work gives, or the signal's reason as a failure once that aborts, whatever becomes of the work then. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What the work gives; undefined where it fails, or takes longer than `ms`: then its signal aborts. */
export function inTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const signal = AbortSignal.timeout(ms);
  return untilAborted(work(signal), signal).catch(() => undefined);
}

const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread for `ms` milliseconds: for the end of a process or thread, where nothing can be awaited. */
export function sleepSync(ms: number): void {
  Atomics.wait(NEVER_NOTIFIED, 0, 0, ms);
}

/** Waits until every one has resolved or rejected, then throws the first rejection. */
export async function allSettledOrThrow(steps: readonly Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}
