import { setTimeout as delay } from 'node:timers/promises';
import type { GiveWay } from '../readers/reader-loop.ts';

// So that a limit that is changed or lifted is followed soon.
const LOOK_AGAIN_MS = 1_000;

/**
 * Lets a reader read so many records a second and no more, on average since it was last slower than that.
 *
 * @param rate Asked again and again; null: as many as it can.
 */
export function paced(rate: () => number | null, then: GiveWay): GiveWay {
  // Of what was read, how many milliseconds were not waited for yet.
  let owedMs = 0;
  let since = performance.now();
  return async (workedMs, signal, records) => {
    owedMs += owes(rate(), records);
    for (;;) {
      const now = performance.now();
      owedMs = Math.max(0, owedMs - (now - since));
      since = now;
      if (owedMs === 0 || rate() === null || signal.aborted) break;
      await delay(Math.min(owedMs, LOOK_AGAIN_MS), undefined, { signal }).catch(() => undefined);
    }
    if (rate() === null) owedMs = 0;
    await then(workedMs, signal, records);
  };
}

function owes(rate: number | null, records: number): number {
  return rate === null ? 0 : (records / rate) * 1_000;
}
