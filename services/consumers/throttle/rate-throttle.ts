import type { Throttle } from '../reader-loop.ts';
import { pause } from '../../runtime/pause.ts';

// So that a limit that is changed or lifted is followed soon.
const LOOK_AGAIN_MS = 1_000;

/**
 * Lets a reader read so many records a second and no more, on average since it was last slower than that.
 *
 * @param rate Asked again and again; null: as many as it can.
 */
export function rateThrottle(rate: () => number | null, then: Throttle): Throttle {
  // What was read and not waited for yet: in records, so that a limit that is changed holds for these too.
  let owed = 0;
  let since = performance.now();
  return async (workedMs, signal, records) => {
    owed += records;
    for (;;) {
      const now = performance.now();
      const perSecond = rate();
      const perMs = (perSecond ?? 0) / 1_000;
      owed = perSecond === null ? 0 : Math.max(0, owed - (now - since) * perMs);
      since = now;
      if (owed === 0 || signal.aborted) break;
      await pause(Math.min(owed / perMs, LOOK_AGAIN_MS), signal);
    }
    await then(workedMs, signal, records);
  };
}
