/** Back-pressure on whoever reads the log: pauses between batches. The policy is in docs/architecture.md#back-pressure. */
import { pause } from '../../runtime/pause.ts';

/**
 * Called after each batch with the time that it took and how many records it had. Resolves when the next batch may begin:
 * at once if nothing is in the way, and when the signal aborts.
 */
export type Throttle = (workedMs: number, signal: AbortSignal, records: number) => Promise<void>;

/** When requests need the processor, by a measure of their load: from `high` until below `low`. */
export interface LoadThresholds {
  readonly high: number;
  readonly low: number;
}

/** Every threshold and limit, with the measurement that it comes from. */
export const BACK_PRESSURE = {
  /** Requests before readers. */
  load: {
    // Where the log encodes records: how many times as long as it must at most the shortest append takes. With as many
    // requests as can be answered, 1.4 to 3.7; with half as many, evenly spaced, 0.6 to 1.5, and 0.7 to 2.5 beside a program
    // that takes a core. How busy the thread is tells less: 0.80 to 0.94 and 0.53 to 0.84 here, 0.7 on a faster machine.
    answering: { high: 1.4, low: 1.1 },
    // Where the HTTP thread encodes them: the share of its time that it is busy. 0.92 to 1.0, and 0.46 to 0.87.
    encoding: { high: 0.9, low: 0.8 },
    // Under saturation a reader works a sixty-fourth of the time: it falls behind, but never stops moving. An insert of a
    // second into analytics counts as a batch.
    pausePerWork: 63,
    maxPauseMs: 60_000,
    // A shorter measurement says little; a pause ends this soon after the load does.
    pollMs: 400,
  },
  /** Live messages before history. */
  liveLag: {
    // The readers of live messages take a second or two by design.
    highMs: 4_000,
    // Live messages that never let up must not stop history permanently: a batch every half minute.
    maxPauseMs: 30_000,
    pollMs: 250,
  },
  /** Live messages before live audiences, which are told of messages by the same reader. */
  liveAudiences: {
    // Time changes who is in an audience while messages wait, too: that is late by no more than this.
    maxPauseMs: 2_000,
  },
  /** A rate that was set. */
  rate: {
    // A limit that is changed or lifted takes effect this soon.
    pollMs: 1_000,
  },
  /** Everything before verification: nobody waits for it, so it works a quarter of the time. */
  background: { pausePerWork: 3, maxPauseMs: 5_000 },
} as const;

/** Applies one throttle after the other. */
export function inSequence(...throttles: readonly (Throttle | undefined)[]): Throttle {
  return async (...work) => {
    for (const throttle of throttles) await throttle?.(...work);
  };
}

/**
 * Pauses while requests need the processor. A lower priority of the readers is not enough: their memory traffic, garbage
 * collection and native threads cost requests a third of their rate on two cores (measured).
 *
 * @param measure The load since the last call. If it is unknown, the thread is ending: no pause.
 */
export function loadThrottle(measure: () => number | Promise<number>, { high, low }: LoadThresholds): Throttle {
  const { pausePerWork, maxPauseMs, pollMs } = BACK_PRESSURE.load;
  let measuredAt = -Infinity;
  let isSaturated = false;
  const remainingMs = async (): Promise<number> => {
    if (performance.now() - measuredAt >= pollMs) {
      measuredAt = performance.now();
      const load = await Promise.resolve(measure()).catch(() => 0);
      isSaturated = load >= (isSaturated ? low : high);
    }
    return isSaturated ? Infinity : 0;
  };
  return (workedMs, signal) =>
    pauseWhile(remainingMs, { maxMs: Math.min(pausePerWork * workedMs, maxPauseMs), pollMs, signal });
}

/** Pauses while the readers of live messages are behind. If the lag is unknown, a store is unavailable: no pause. */
export function liveLagThrottle(
  lag: { ms(): Promise<number> },
  { maxPauseMs: maxMs }: { readonly maxPauseMs: number } = BACK_PRESSURE.liveLag,
): Throttle {
  const { highMs, pollMs } = BACK_PRESSURE.liveLag;
  const remainingMs = async (): Promise<number> => ((await lag.ms().catch(() => 0)) > highMs ? Infinity : 0);
  return (_, signal) => pauseWhile(remainingMs, { maxMs, pollMs, signal });
}

/**
 * Limits a reader to `rate` records a second, on average since it was last slower than that.
 *
 * @param rate Asked again at every poll; null: unlimited.
 */
export function rateThrottle(rate: () => number | null): Throttle {
  // Records read in advance of the rate. Counted in records, not in ms, so that a changed limit applies to these too.
  let owed = 0;
  let since = performance.now();
  const remainingMs = (): number => {
    const now = performance.now();
    const perSecond = rate();
    const perMs = (perSecond ?? 0) / 1_000;
    owed = perSecond === null ? 0 : Math.max(0, owed - (now - since) * perMs);
    since = now;
    return owed === 0 ? 0 : owed / perMs;
  };
  return (_, signal, records) => {
    owed += records;
    return pauseWhile(remainingMs, { maxMs: Infinity, pollMs: BACK_PRESSURE.rate.pollMs, signal });
  };
}

/** Pauses in proportion to the work, whatever the load. */
export function backgroundThrottle(): Throttle {
  const { pausePerWork, maxPauseMs } = BACK_PRESSURE.background;
  return (workedMs, signal) => pause(Math.min(pausePerWork * workedMs, maxPauseMs), signal);
}

interface PauseLimits {
  readonly maxMs: number;
  readonly pollMs: number;
  readonly signal: AbortSignal;
}

/** Pauses until `remainingMs`, asked again every `pollMs`, is 0, but no longer than `maxMs`. */
async function pauseWhile(
  remainingMs: () => number | Promise<number>,
  { maxMs, pollMs, signal }: PauseLimits,
): Promise<void> {
  const endsAt = performance.now() + maxMs;
  while (!signal.aborted) {
    const ms = Math.min(await remainingMs(), endsAt - performance.now());
    if (ms <= 0) return;
    await pause(Math.min(ms, pollMs), signal);
  }
}
