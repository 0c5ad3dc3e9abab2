import type { GiveWay } from '../readers/reader-loop.ts';
import { pause } from '../runtime/pause.ts';

/**
 * From this share of its time on, the HTTP thread is in need of the processor. With as many requests as it can answer it
 * was busy for 0.92 to 1.0 of each measure, with half as many, evenly spaced, 0.46 to 0.87.
 */
const SATURATED = 0.9;
/** Until it falls below this: with the readers at rest half as many requests take less, and all that come no less. */
const AT_EASE = 0.8;

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
export function wayFor(utilization: () => number): GiveWay {
  let measuredAt = -Infinity;
  let saturated = false;
  const isSaturated = (): boolean => {
    if (performance.now() - measuredAt >= MEASURE_MS) {
      measuredAt = performance.now();
      saturated = utilization() >= (saturated ? AT_EASE : SATURATED);
    }
    return saturated;
  };
  return async (workedMs, signal) => {
    const restUntil = performance.now() + Math.min(REST_PER_WORK * workedMs, LONGEST_REST_MS);
    while (!signal.aborted && isSaturated() && performance.now() < restUntil) {
      await pause(Math.min(MEASURE_MS, restUntil - performance.now()), signal);
    }
  };
}
