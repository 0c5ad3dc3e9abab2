import type { Writable } from 'node:stream';
import type { ReaderProgress } from '../stores/profiles/profile-store.ts';
import { isRetryable, TidemarkError } from '../runtime/errors.ts';
import {
  BOTH,
  type ProgressSnapshot,
  NEITHER,
  offsetsByNumber,
  type Passed,
  type RecordPosition,
  WantedPositions,
} from './wanted-positions.ts';

/** What somebody waits for. */
export interface Wanted {
  /** The same text stands for the same places, as long as anybody waits for them. */
  readonly name: string;
  readonly places: readonly RecordPosition[];
}

export interface WaitOptions {
  /** How long the answer may take to become true of both, give or take an interval; 0 is the state now. */
  readonly waitMs: number;
  /** Where the answer goes: nobody waits any more once it is closed. */
  readonly client: Pick<Writable, 'closed' | 'on'>;
}

/** Of these there are thousands, so it holds what it needs and no timer, signal or list of its own. */
interface Waiter {
  readonly wanted: WantedPositions;
  /** With a promise that is rejected, too. */
  readonly resolve: (answer: Passed | Promise<never>) => void;
  /** Its time is over then: the next look settles it, whatever it brings. */
  readonly dueAtMs: number;
  /** How many looks had begun when it came: it is not answered by one of them. */
  readonly looksBefore: number;
  /** The last answer; undefined before the first look. What readers have passed stays passed, so it is a lower bound. */
  seen: Passed | undefined;
  /** What kept the last look from an answer. */
  failure: unknown;
}

const DEFAULT_INTERVAL_MS = 25;

/**
 * Tells when the readers have passed places in the log. Whoever asks shares one look at the readers' positions, at most
 * one every interval, and none while nobody asks: a thousand who wait cost the store what one does. They share one timer
 * too, and those with the same receipt its places: who waits costs 200 bytes beside the request that waits for the answer.
 */
export class ProgressWatch {
  readonly #progress: ReaderProgress;
  readonly #intervalMs: number;
  readonly #waiters = new Set<Waiter>();
  readonly #wanted = new Map<string, WantedPositions>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** How many looks have begun, and when the last one did. */
  #looks = 0;
  #lookedAtMs = -Infinity;
  #isStopped = false;

  constructor(progress: ReaderProgress, intervalMs = DEFAULT_INTERVAL_MS) {
    this.#progress = progress;
    this.#intervalMs = intervalMs;
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** How many different things they wait for. */
  get wanted(): number {
    return this.#wanted.size;
  }

  /**
   * Resolves once both readers have passed every place, or with how far they were when the time is over, the client gone
   * or the watch stopped. While the positions cannot be read it goes on trying as long as it may wait.
   *
   * @throws TidemarkError as `ReaderProgress` does, where the time is over with nothing seen; `STOPPING`, likewise.
   */
  passed({ name, places }: Wanted, { waitMs, client }: WaitOptions): Promise<Passed> {
    if (this.#isStopped) return Promise.reject(watchStopped());
    if (client.closed) return Promise.resolve(NEITHER);
    const wanted = this.#want(name, places);
    // Whole, so that V8 keeps it without an object of its own.
    const dueAtMs = waitMs === 0 ? 0 : Math.ceil(performance.now()) + waitMs;
    return new Promise((resolve) => {
      const looksBefore = this.#looks;
      const waiter: Waiter = { wanted, resolve, dueAtMs, looksBefore, seen: undefined, failure: undefined };
      this.#waiters.add(waiter);
      // Not `once`, which takes twice as much: it is emitted once, and who has been answered is not answered again.
      client.on('close', () => this.#respond(waiter, waiter.seen ?? NEITHER));
      this.#schedule();
    });
  }

  /** Answers everybody who waits, at once, and refuses who comes after. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const waiter of this.#waiters) {
      waiter.failure ??= watchStopped();
      this.#respondNow(waiter);
    }
  }

  #want(name: string, places: readonly RecordPosition[]): WantedPositions {
    let wanted = this.#wanted.get(name);
    if (wanted === undefined) this.#wanted.set(name, (wanted = new WantedPositions(name, places)));
    wanted.waiters++;
    return wanted;
  }

  /** Until nobody waits any more the timer goes every interval, whether or not a look takes longer. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    const untilNextMs = this.#lookedAtMs + this.#intervalMs - performance.now();
    if (untilNextMs <= 0 && !this.#isLooking) void this.#look();
    else this.#timer = setTimeout(() => this.#tick(), untilNextMs > 0 ? untilNextMs : this.#intervalMs);
  }

  #tick(): void {
    this.#timer = undefined;
    this.#answerDue();
    if (this.#waiters.size > 0) this.#schedule();
  }

  #answerDue(): void {
    const nowMs = performance.now();
    for (const waiter of this.#waiters) {
      if (waiter.dueAtMs <= nowMs && (waiter.seen !== undefined || waiter.failure !== undefined))
        this.#respondNow(waiter);
    }
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#lookedAtMs = performance.now();
    const number = ++this.#looks;
    this.#schedule();
    try {
      const { projector, sink } = await this.#progress.progress();
      this.#answer({ number, projector: offsetsByNumber(projector), sink: offsetsByNumber(sink) });
    } catch (error) {
      this.#fail(number, error);
    }
    this.#isLooking = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiters.size > 0) this.#schedule();
  }

  /** Those who came before the look began: it may have begun before what the others ask about. */
  *#waitersBefore(number: number): Iterable<Waiter> {
    for (const waiter of this.#waiters) {
      if (waiter.looksBefore >= number) return; // So did all after it.
      yield waiter;
    }
  }

  #answer(look: ProgressSnapshot): void {
    const nowMs = performance.now();
    for (const waiter of this.#waitersBefore(look.number)) {
      waiter.seen = waiter.wanted.passedAt(look);
      if (waiter.seen === BOTH || waiter.dueAtMs <= nowMs) this.#respond(waiter, waiter.seen);
    }
  }

  #fail(number: number, error: unknown): void {
    const [nowMs, isLasting] = [performance.now(), !isRetryable(error)];
    for (const waiter of this.#waitersBefore(number)) {
      waiter.failure = error;
      if (isLasting || waiter.dueAtMs <= nowMs) this.#respondNow(waiter);
    }
  }

  /** With what was seen last, else with what kept it from being seen. */
  #respondNow(waiter: Waiter): void {
    if (waiter.seen !== undefined) this.#respond(waiter, waiter.seen);
    else if (this.#leave(waiter)) waiter.resolve(Promise.reject(waiter.failure));
  }

  #respond(waiter: Waiter, answer: Passed): void {
    if (this.#leave(waiter)) waiter.resolve(answer);
  }

  /** False where it has been answered. */
  #leave(waiter: Waiter): boolean {
    if (!this.#waiters.delete(waiter)) return false;
    if (--waiter.wanted.waiters === 0) this.#wanted.delete(waiter.wanted.name);
    return true;
  }
}

function watchStopped(): TidemarkError {
  return new TidemarkError('STOPPING', 'this process is stopping');
}
