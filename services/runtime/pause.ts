import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after so long, and at once when the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // All that it rejects with is that it was aborted.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
