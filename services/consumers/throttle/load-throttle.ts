import type { Throttle } from '../reader-loop.ts';
import { pause } from '../../runtime/pause.ts';

/** When the HTTP thread is in need of the processor, by the share of its time that it is busy. */
export interface LoadThresholds {
  /** From here on. */
  readonly high: number;
  /** Until it falls below this: with the readers at rest half as many requests take less, and all that come no less. */
  readonly low: number;
}

/**
 * Of a thread that leaves it to the log's to make the records. With as many requests as it can answer it was busy for 0.75
 * to 0.93 of each measure and waited for the log for the rest; with half as many, evenly spaced, for 0.42 to 0.67.
 */
export const ANSWERING_THRESHOLDS: LoadThresholds = { high: 0.72, low: 0.62 };
/** Of one that makes them too: 0.92 to 1.0, and 0.46 to 0.87. */
export const ENCODING_THRESHOLDS: LoadThresholds = { high: 0.9, low: 0.8 };

// Under saturation a reader works a sixty-fourth of the time: it falls behind, but not for ever without moving. An insert
// of a second into analytics is a batch too.
const REST_PER_WORK = 63;
const LONGEST_REST_MS = 60_000;

// What was measured over less than this says little, and a rest ends this soon after the need does.
const MEASURE_MS = 400;

/**
 * Readers can wait and requests cannot. Their niceness is not enough: the readers' memory traffic, their garbage
 * collection and their native threads cost requests a third of their rate on two cores (measured).
 */
export function loadThrottle(utilization: () => number, { high, low }: LoadThresholds): Throttle {
  let measuredAt = -Infinity;
  let isInNeed = false;
  const isSaturated = (): boolean => {
    if (performance.now() - measuredAt >= MEASURE_MS) {
      measuredAt = performance.now();
      isInNeed = utilization() >= (isInNeed ? low : high);
    }
    return isInNeed;
  };
  return async (workedMs, signal) => {
    const restUntil = performance.now() + Math.min(REST_PER_WORK * workedMs, LONGEST_REST_MS);
    while (!signal.aborted && isSaturated() && performance.now() < restUntil) {
      await pause(Math.min(MEASURE_MS, restUntil - performance.now()), signal);
    }
  };
}
