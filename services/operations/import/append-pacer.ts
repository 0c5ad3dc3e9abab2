import { setTimeout as delay } from 'node:timers/promises';

export interface AppendPacerOptions {
  /** Records a second at most; unlimited by default. */
  readonly rate?: number | undefined;
  readonly nowMs?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

const SMALLEST = 20;
const LARGEST = 2_000;
const MAX_APPEND_REST_MS = 1_000;

/** How far an append that was slow may be caught up on within the rate. */
const CATCH_UP_MS = 100;

/** An append of the smallest size after a pause measures what one takes that no import slows down. */
const CALIBRATE_EVERY_MS = 2_000;
const REST_BEFORE_MS = 30;
const MAX_CALIBRATIONS = 15;

const JUDGED_TOGETHER = 5;

/**
 * Decides how many records an import appends at once and how long it pauses in between, so that live appends wait little.
 * An append waits for the one under way. So an append of an import takes at most twice as long as the smallest takes alone
 * (measured again every 2 s, at the load of the moment), and one is under way at most half of the time. If appends take
 * longer, the next are smaller; once they are the smallest, the pauses become longer.
 */
export class AppendPacer {
  readonly #rate: number;
  readonly #nowMs: () => number;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #alone: number[] = [];
  readonly #recent: number[] = [];
  #records = SMALLEST;
  #restPerWork = 1;
  #restsUntilMs = -Infinity;
  #calibrates = true;
  #calibratedAtMs = -Infinity;
  /** When the records so far would have been appended at exactly the rate. */
  #dueMs: number;

  constructor({
    rate = Infinity,
    nowMs = () => performance.now(),
    sleep = (ms) => delay(ms),
  }: AppendPacerOptions = {}) {
    this.#rate = rate;
    this.#nowMs = nowMs;
    this.#sleep = sleep;
    this.#dueMs = nowMs();
  }

  /** How many records the next append takes at most. */
  get records(): number {
    const most = this.#calibrates ? SMALLEST : Math.round(this.#records);
    // A tenth of a second's worth, so that a low rate is even.
    return Math.max(1, Math.min(most, Math.ceil(this.#rate / 10)));
  }

  /** Resolves when the next append may begin. */
  async rest(): Promise<void> {
    const until = Math.max(this.#dueMs, this.#restsUntilMs);
    const ms = Math.max(until - this.#nowMs(), this.#calibrates ? REST_BEFORE_MS : 0);
    if (ms > 0) await this.#sleep(ms);
  }

  /** Records the size and the duration of an append. */
  observe(records: number, tookMs: number): void {
    const nowMs = this.#nowMs();
    this.#dueMs = Math.max(this.#dueMs, nowMs - CATCH_UP_MS) + (records / this.#rate) * 1_000;
    if (this.#calibrates) this.#remember(tookMs);
    else this.#adjust(tookMs);
    this.#restsUntilMs = nowMs + Math.min(tookMs * this.#restPerWork, MAX_APPEND_REST_MS);
    this.#calibrates = nowMs - this.#calibratedAtMs >= CALIBRATE_EVERY_MS || this.#alone.length < 3;
  }

  #remember(tookMs: number): void {
    this.#alone.push(tookMs);
    if (this.#alone.length > MAX_CALIBRATIONS) this.#alone.shift();
    this.#calibratedAtMs = this.#nowMs();
  }

  /**
   * By the median of a few: on a busy machine one append in five takes twice as long whatever its size, and judged one
   * by one they would shrink to nothing.
   */
  #adjust(tookMs: number): void {
    this.#recent.push(tookMs);
    if (this.#recent.length < JUDGED_TOGETHER) return;
    const isFast = median(this.#recent) <= 2 * median(this.#alone);
    this.#recent.length = 0;
    if (isFast) {
      this.#records = Math.min(this.#records * 1.5, LARGEST);
      this.#restPerWork = Math.max(this.#restPerWork / 1.5, 1);
    } else {
      if (this.#records <= SMALLEST) this.#restPerWork = Math.min(this.#restPerWork * 2, 50);
      this.#records = Math.max(this.#records * 0.6, SMALLEST);
    }
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity;
}
