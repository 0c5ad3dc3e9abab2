import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after so long, and at once when the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // All that it rejects with is that it was aborted.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/** Holds up this thread for so many milliseconds: for the end of a process or thread, where nothing can be awaited. */
export function sleepSync(ms: number): void {
  Atomics.wait(NOTHING, 0, 0, ms);
}
