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

/** The positions that a request waits for. */
export interface Wanted {
  /** Equal names mean equal positions, as long as any request waits for them. */
  readonly name: string;
  readonly places: readonly RecordPosition[];
}

export interface WaitOptions {
  /** How long to wait for both readers, to within one interval; 0 returns the current state. */
  readonly waitMs: number;
  /** The response. The wait ends when it is closed. */
  readonly client: Pick<Writable, 'closed' | 'on'>;
}

/** There may be thousands of waiters, so a waiter has no timer, signal or list of its own. */
interface Waiter {
  readonly wanted: WantedPositions;
  /** Also takes a rejected promise. */
  readonly resolve: (answer: Passed | Promise<never>) => void;
  /** The deadline. The first look after it resolves the waiter, whatever the result. */
  readonly dueAtMs: number;
  /** How many looks had begun when the waiter arrived. None of them may answer it. */
  readonly looksBefore: number;
  /** The last answer; undefined before the first look. What readers have passed stays passed, so it is a lower bound. */
  seen: Passed | undefined;
  /** The error of the last look. */
  failure: unknown;
}

const DEFAULT_INTERVAL_MS = 25;

/**
 * Waits until the readers have passed positions in the log. All waiters share one read of the readers' positions, at most
 * one every interval and none without waiters, so that a thousand waiters cost the store as much as one. They also share
 * one timer, and waiters with the same receipt share its positions: a waiter takes 200 bytes besides its request.
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

  /** Answers all waiters at once, and refuses later ones. Idempotent. */
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

  /** The timer runs every interval while there are waiters, even if a look takes longer. */
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

  /** The waiters that arrived before the look began. For later ones the look may be too old. */
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

  /** Resolves with the last result, or rejects with the last error if there is none. */
  #respondNow(waiter: Waiter): void {
    if (waiter.seen !== undefined) this.#respond(waiter, waiter.seen);
    else if (this.#leave(waiter)) waiter.resolve(Promise.reject(waiter.failure));
  }

  #respond(waiter: Waiter, answer: Passed): void {
    if (this.#leave(waiter)) waiter.resolve(answer);
  }

  /** Returns false if the waiter has already been answered. */
  #leave(waiter: Waiter): boolean {
    if (!this.#waiters.delete(waiter)) return false;
    if (--waiter.wanted.waiters === 0) this.#wanted.delete(waiter.wanted.name);
    return true;
  }
}

function watchStopped(): TidemarkError {
  return new TidemarkError('STOPPING', 'this process is stopping');
}
