import { setTimeout as delay } from 'node:timers/promises';
import type { GiveWay } from '../readers/reader-loop.ts';

/** From this share of its time on, the HTTP thread is in need of the processor. At half its load it is far below. */
const SATURATED = 0.75;

// Under saturation a reader works a quarter of the time: it falls behind, but not for ever without moving.
const REST_PER_WORK = 3;
const LONGEST_REST_MS = 1_000;

// What was measured over less than this says little.
const MEASURE_MS = 50;

/**
 * Readers can wait and requests cannot. Their niceness is not enough: the readers' memory traffic, their garbage
 * collection and their native threads cost requests a fifth of their rate on two cores (measured).
 */
export function wayFor(utilization: () => number): GiveWay {
  let measuredAt = -Infinity;
  let used = 0;
  return async (workedMs, signal) => {
    if (performance.now() - measuredAt >= MEASURE_MS) {
      measuredAt = performance.now();
      used = utilization();
    }
    if (used < SATURATED) return;
    const restMs = Math.min(REST_PER_WORK * workedMs, LONGEST_REST_MS);
    await delay(restMs, undefined, { signal }).catch(() => undefined);
  };
}
