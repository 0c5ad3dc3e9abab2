/** The clock of ingest. It dates messages for ever, so no reading of it that may be wrong is used. */
import { uptime } from 'node:os';
import type { Micros } from '../messages/message.ts';
import { drawProcessBits } from '../messages/version.ts';
import type { Logger } from '../runtime/logger.ts';

export interface IngestClockOptions {
  /** How far the clock may jump, may be from the log's, and may be behind what it has given. */
  readonly maxSkewMs: number;
  /** The time after which a clock that was set is believed. */
  readonly trustAfterMs?: number;
  /** Whether records are dated by the clock of this machine, so that the log knows nothing about it. */
  readonly isLogOurs?: boolean;
  readonly logger?: Pick<Logger, 'info' | 'warn'>;
  /** The wall clock, in milliseconds since 1970. */
  readonly nowMs?: () => number;
  /** The monotonic clock: it may stand still while the machine sleeps. */
  readonly elapsedMs?: () => number;
  /** Time since the machine was started, including that in which it slept. */
  readonly uptimeMs?: () => number;
}

const TRUST_AFTER_MS = 600_000;
/** No message for longer than this looks more like a clock that is wrong. */
const LONGEST_SILENCE_MS = 366 * 86_400_000;

/** Why the clock is in doubt, and since when. */
interface Doubt {
  readonly sinceMs: number;
  /** Wall minus monotonic clock. */
  readonly offsetMs: number;
}

/**
 * Tells when a message arrived. The wall clock is compared with the monotonic clock, with the clock of the log, with
 * what it gave before and, at the start, with the newest message of the log. While they contradict each other it gives
 * nothing, until they agree again or have differed by the same time for `trustAfterMs`.
 */
export class IngestClock {
  readonly #options: Required<Omit<IngestClockOptions, 'logger'>> & Pick<IngestClockOptions, 'logger'>;
  /** Wall minus monotonic clock when the clock was last right. */
  #offsetMs: number;
  /** The same when it last agreed with the log's. */
  #agreedOffsetMs: number;
  /** Uptime minus monotonic clock: grows while the machine sleeps. */
  #sleptMs: number;
  #lastMicros = -Infinity;
  /** When the newest message of the log arrived; undefined once the clock has agreed with it. */
  #newestMs: number | undefined;
  #doubt: Doubt | undefined;
  #processBits = drawProcessBits();

  constructor(options: IngestClockOptions) {
    const { trustAfterMs = TRUST_AFTER_MS, isLogOurs = false, nowMs = Date.now, elapsedMs = monotonicMs } = options;
    this.#options = { uptimeMs: bootMs, ...options, trustAfterMs, isLogOurs, nowMs, elapsedMs };
    this.#offsetMs = nowMs() - elapsedMs();
    this.#agreedOffsetMs = this.#offsetMs;
    this.#sleptMs = this.#options.uptimeMs() - elapsedMs();
  }

  /** 20 bits that tell the versions of this process from another's, and from its own before the clock was set back. */
  get processBits(): number {
    return this.#processBits;
  }

  /**
   * The wall clock, in milliseconds since 1970; what it would say if it had not been set, where the last reading of
   * `next` or `skewed` was in doubt.
   */
  now(): number {
    return this.#doubt === undefined ? this.#options.nowMs() : this.#options.elapsedMs() + this.#offsetMs;
  }

  /** Whether the clock is in doubt now. */
  get skewed(): boolean {
    return !this.#isRight(this.#options.nowMs(), 0);
  }

  /**
   * The arrival of the first of these messages; the others arrive a microsecond later each. Later than everything that
   * it gave before, and at most `maxSkewMs` ahead of the wall clock. Undefined while the clock is in doubt.
   */
  next(count = 1): Micros | undefined {
    const nowMs = this.#options.nowMs();
    if (!this.#isRight(nowMs, count)) return undefined;
    const first = Math.max(Math.floor(nowMs * 1000), this.#lastMicros + 1);
    this.#lastMicros = first + count - 1;
    return BigInt(first);
  }

  /** Whether it has given times so far ahead of the wall clock that no more than needed should be asked for. */
  get isAhead(): boolean {
    return this.#lastMicros / 1000 - this.#options.nowMs() > this.#options.maxSkewMs / 2;
  }

  /**
   * Only before it has given anything.
   *
   * @param newestMs When the newest message of the log arrived.
   */
  compareWith(newestMs: number): void {
    if (this.#doubt === undefined && this.#lastMicros === -Infinity) this.#newestMs = newestMs;
  }

  /**
   * Whether the clock has been set since it last agreed with the log's: all that can be known while the log is unreachable. A
   * machine that slept counts too: the monotonic clock stood still.
   */
  get hasJumped(): boolean {
    const { nowMs, elapsedMs, maxSkewMs } = this.#options;
    return Math.abs(nowMs() - elapsedMs() - this.#agreedOffsetMs) > maxSkewMs;
  }

  /** Whether an append, sent at `sentAtMs` by our clock and answered now, agrees with the log's clock. */
  agrees(appendedAtMs: number, sentAtMs: number): boolean {
    const { nowMs, elapsedMs, maxSkewMs, isLogOurs } = this.#options;
    const answeredAtMs = nowMs();
    if (skewMs(appendedAtMs, sentAtMs, answeredAtMs) <= maxSkewMs) {
      this.#agreedOffsetMs = answeredAtMs - elapsedMs();
      return true;
    }
    // From now on our clock is compared with the log's, as the monotonic clock continues it.
    if (!isLogOurs) this.#offsetMs = appendedAtMs - elapsedMs();
    return false;
  }

  #isRight(nowMs: number, count: number): boolean {
    const { elapsedMs, trustAfterMs, maxSkewMs, logger } = this.#options;
    const elapsed = elapsedMs();
    const offsetMs = nowMs - elapsed;
    const fault = this.#faultOf(nowMs, elapsed, count);
    if (fault === undefined) {
      if (this.#doubt !== undefined) logger?.info({ nowMs }, 'the clock of this machine is right again');
      this.#offsetMs = offsetMs;
      this.#newestMs = undefined;
      this.#doubt = undefined;
      return true;
    }
    if (this.#doubt === undefined || Math.abs(offsetMs - this.#doubt.offsetMs) > maxSkewMs) {
      this.#doubt = { sinceMs: elapsed, offsetMs };
      const expectedMs = Math.round(elapsed + this.#offsetMs);
      logger?.warn({ nowMs, expectedMs, newestMs: this.#newestMs }, `the clock of this machine ${fault}`);
    }
    if (elapsed - this.#doubt.sinceMs >= trustAfterMs) this.#believe(offsetMs);
    return false;
  }

  #faultOf(nowMs: number, elapsedMs: number, count: number): string | undefined {
    const { maxSkewMs } = this.#options;
    // A clock that was wrong at the start is right once it has been set.
    if (this.#newestMs === undefined && this.#hasBeenSet(nowMs, elapsedMs)) {
      return "was set, or is off the log's: messages are refused";
    }
    const aheadMs = (this.#lastMicros + count) / 1000 - nowMs;
    if (aheadMs > maxSkewMs) return 'is behind messages that this process has taken: messages are refused';
    if (this.#newestMs === undefined) return undefined;
    if (this.#newestMs - nowMs > maxSkewMs) return 'is behind the newest message of the log: messages are refused';
    const isOverdue = nowMs - this.#newestMs > LONGEST_SILENCE_MS;
    return isOverdue ? 'is more than a year after the newest message of the log: messages are refused' : undefined;
  }

  #hasBeenSet(nowMs: number, elapsedMs: number): boolean {
    const { maxSkewMs, uptimeMs } = this.#options;
    const jumpedMs = nowMs - elapsedMs - this.#offsetMs;
    if (Math.abs(jumpedMs) <= maxSkewMs) return false;
    // The monotonic clock of some systems stands still while the machine sleeps.
    const sleptMs = uptimeMs() - elapsedMs - this.#sleptMs;
    if (Math.abs(jumpedMs - sleptMs) > maxSkewMs) return true;
    this.#sleptMs += sleptMs;
    this.#offsetMs += sleptMs;
    return false;
  }

  /** From the next reading on. The clock may have given the same times before: its versions must not be the same. */
  #believe(offsetMs: number): void {
    this.#options.logger?.warn('the clock of this machine has not been set back: it is believed from now on');
    this.#offsetMs = offsetMs;
    this.#lastMicros = -Infinity;
    this.#newestMs = undefined;
    this.#doubt = undefined;
    this.#processBits = drawProcessBits();
  }
}

/** The log took it between our two instants, if our clock is right: a slow append is no skew. */
function skewMs(appendedAtMs: number, sentAtMs: number, answeredAtMs: number): number {
  return Math.max(0, sentAtMs - appendedAtMs, appendedAtMs - answeredAtMs);
}

function monotonicMs(): number {
  return performance.now();
}

/** Where the system does not tell, a machine that slept looks like one whose clock was set. */
function bootMs(): number {
  try {
    return uptime() * 1000;
  } catch {
    return performance.now();
  }
}
