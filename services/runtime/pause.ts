import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`, and at once when the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects only where the signal aborts.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread for `ms` milliseconds: for the end of a process or thread, where nothing can be awaited. */
export function sleepSync(ms: number): void {
  Atomics.wait(NEVER_NOTIFIED, 0, 0, ms);
}
