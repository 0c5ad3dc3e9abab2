export interface ClockGuardOptions {
  /** How far our clock may be from the log's. */
  readonly maxSkewMs: number;
  /** For how long nothing is accepted after it was further. Then the next message tells anew. */
  readonly probeAfterMs?: number;
  readonly nowMs?: () => number;
}

/**
 * Holds our clock against the log's: every append tells. Our clock orders messages for ever, so one that is wrong must
 * not go on.
 */
export class ClockGuard {
  readonly #maxSkewMs: number;
  readonly #probeAfterMs: number;
  readonly #nowMs: () => number;
  #closedUntilMs = -Infinity;
  /** How far our clock was ahead of the monotonic one when it last agreed with the log's, or when we started. */
  #offsetMs: number;

  constructor({ maxSkewMs, probeAfterMs = 10_000, nowMs = Date.now }: ClockGuardOptions) {
    this.#maxSkewMs = maxSkewMs;
    this.#probeAfterMs = probeAfterMs;
    this.#nowMs = nowMs;
    this.#offsetMs = nowMs() - performance.now();
  }

  /** Our wall clock, in milliseconds since 1970. */
  now(): number {
    return this.#nowMs();
  }

  /** Whether our clock is not to be trusted now. Timed by the monotonic clock: the other one is what is in doubt. */
  get skewed(): boolean {
    return this.#closedUntilMs !== -Infinity && performance.now() < this.#closedUntilMs;
  }

  /**
   * Whether our clock has been set since it last agreed with the log's: all that can be known while the log is away. A
   * machine that slept counts too: the monotonic clock stood still.
   */
  get hasJumped(): boolean {
    return Math.abs(this.#nowMs() - performance.now() - this.#offsetMs) > this.#maxSkewMs;
  }

  /** Whether an append, sent at `sentAtMs` by our clock and answered now, agrees with the log's clock. */
  agrees(appendedAtMs: number, sentAtMs: number): boolean {
    const answeredAtMs = this.#nowMs();
    if (skewMs(appendedAtMs, sentAtMs, answeredAtMs) <= this.#maxSkewMs) {
      this.#offsetMs = answeredAtMs - performance.now();
      return true;
    }
    this.#closedUntilMs = performance.now() + this.#probeAfterMs;
    return false;
  }
}

/** The log took it between our two instants, if our clock is right: a slow append is no skew. */
function skewMs(appendedAtMs: number, sentAtMs: number, answeredAtMs: number): number {
  return Math.max(0, sentAtMs - appendedAtMs, appendedAtMs - answeredAtMs);
}
