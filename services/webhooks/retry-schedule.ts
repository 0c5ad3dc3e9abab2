/** When a delivery that failed is tried again. */

/** The example schedule of Standard Webhooks, in seconds: 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h. */
const WAITS_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** Repeated when the schedule is over: nothing is given up. */
const LONGEST_WAIT_S = 86_400;

// Endpoints that failed together are not tried again together.
const JITTER = 0.1;

/**
 * How long to wait before the next attempt: as long as the answer says (`Retry-After`), a day at most, else by the schedule.
 *
 * @param failures How many attempts failed in a row, this one included.
 * @param random From 0 to 1.
 */
export function waitMsAfter(failures: number, retryAfterMs: number | null, random = Math.random()): number {
  if (retryAfterMs !== null) return Math.min(Math.max(retryAfterMs, 1_000), LONGEST_WAIT_S * 1_000);
  const waitS = WAITS_S[failures - 1] ?? LONGEST_WAIT_S;
  return Math.round(waitS * 1_000 * (1 - JITTER + 2 * JITTER * random));
}

/** Reads the header `Retry-After`, seconds or a date; null where it is missing, or neither. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? null : Math.max(atMs - nowMs, 0);
}
