import type { Writable } from 'node:stream';
import { isRetryable, TidemarkError } from '../runtime/errors.ts';

/** What waiters of one kind ask a store, and how their answers follow from a look at it. */
export interface Poll<Wanted, Look, Answer> {
  readonly intervalMs: number;
  /** Reads once for all who wait. */
  readonly look: (wanted: Iterable<Wanted>) => Promise<Look>;
  readonly answerTo: (wanted: Wanted, look: Look) => Answer;
  /** Whether no later look could change this answer. */
  readonly isFinal: (answer: Answer) => boolean;
  /** What a waiter knew before it asked; undefined for nothing. */
  readonly known: Answer | undefined;
  /** For a client that has gone. */
  readonly nothing: Answer;
  /** Called once for every waiter, when it is answered. */
  readonly left?: (wanted: Wanted) => void;
}

export interface WaitOptions {
  /** How long to wait for a final answer, to within one interval; 0 returns the current state. */
  readonly waitMs: number;
  /** The response. The wait ends when it is closed. */
  readonly client: Pick<Writable, 'closed' | 'on'>;
}

/** There may be thousands of waiters, so a waiter has no timer, signal or list of its own. */
interface Waiter<Wanted, Answer> {
  readonly wanted: Wanted;
  /** Also takes a rejected promise. */
  readonly resolve: (answer: Answer | Promise<never>) => void;
  /** The deadline. The first look after it resolves the waiter, whatever the result. */
  readonly dueAtMs: number;
  /** How many looks had begun when the waiter arrived. None of them may answer it. */
  readonly looksBefore: number;
  /** The last answer. */
  seen: Answer | undefined;
  /** The error of the last look; undefined where it succeeded. */
  failure: unknown;
}

/**
 * Waits until a store says what is waited for. All waiters share one look at a time, at most one every interval and none
 * without waiters, so that a thousand cost the store as much as one. They also share one timer: a waiter takes 200 bytes
 * besides its request.
 */
export class SharedPoll<Wanted, Look, Answer> {
  readonly #poll: Poll<Wanted, Look, Answer>;
  readonly #waiters = new Set<Waiter<Wanted, Answer>>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** How many looks have begun, and when the last one did. */
  #looks = 0;
  #lookedAtMs = -Infinity;
  #isStopped = false;

  constructor(poll: Poll<Wanted, Look, Answer>) {
    this.#poll = poll;
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Resolves with the first final answer, or with the last one when the time is over, the client gone or the poll stopped.
   * While the store cannot be read it goes on trying as long as it may wait.
   *
   * @throws TidemarkError as the look does, where the time is over with no more seen than was known; `STOPPING`, where
   *   nothing was.
   */
  wait(wanted: Wanted, { waitMs, client }: WaitOptions): Promise<Answer> {
    const { known: seen, nothing } = this.#poll;
    // Whole, so that V8 keeps it without an object of its own.
    const dueAtMs = waitMs === 0 ? 0 : Math.ceil(performance.now()) + waitMs;
    return new Promise((resolve) => {
      const looksBefore = this.#looks;
      const waiter: Waiter<Wanted, Answer> = { wanted, resolve, dueAtMs, looksBefore, seen, failure: undefined };
      this.#waiters.add(waiter);
      if (this.#isStopped) this.#stopWaiting(waiter);
      else if (client.closed) this.#respond(waiter, nothing);
      else {
        // Not `once`, which takes twice as much: it is emitted once, and who has been answered is not answered again.
        client.on('close', () => this.#respond(waiter, waiter.seen ?? nothing));
        this.#schedule();
      }
    });
  }

  /** Answers all waiters at once, and later ones when they come. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const waiter of this.#waiters) this.#stopWaiting(waiter);
  }

  /** The timer runs every interval while there are waiters, even if a look takes longer. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    const { intervalMs } = this.#poll;
    const untilNextMs = this.#lookedAtMs + intervalMs - performance.now();
    if (untilNextMs <= 0 && !this.#isLooking) void this.#look();
    else this.#timer = setTimeout(() => this.#tick(), untilNextMs > 0 ? untilNextMs : intervalMs);
  }

  #tick(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    for (const waiter of this.#waiters) {
      if (waiter.dueAtMs <= nowMs) this.#respondNow(waiter);
    }
    if (this.#waiters.size > 0) this.#schedule();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#lookedAtMs = performance.now();
    const number = ++this.#looks;
    this.#schedule();
    try {
      this.#answer(number, await this.#poll.look(this.#wanted()));
    } catch (error) {
      this.#fail(number, error);
    }
    this.#isLooking = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiters.size > 0) this.#schedule();
  }

  *#wanted(): Iterable<Wanted> {
    for (const { wanted } of this.#waiters) yield wanted;
  }

  /** The waiters that arrived before the look began. For later ones the look may be too old. */
  *#waitersBefore(number: number): Iterable<Waiter<Wanted, Answer>> {
    for (const waiter of this.#waiters) {
      if (waiter.looksBefore >= number) return; // So did all after it.
      yield waiter;
    }
  }

  #answer(number: number, look: Look): void {
    const nowMs = performance.now();
    for (const waiter of this.#waitersBefore(number)) {
      waiter.seen = this.#poll.answerTo(waiter.wanted, look);
      waiter.failure = undefined;
      if (this.#poll.isFinal(waiter.seen) || waiter.dueAtMs <= nowMs) this.#respond(waiter, waiter.seen);
    }
  }

  #fail(number: number, error: unknown): void {
    const [nowMs, isLasting] = [performance.now(), !isRetryable(error)];
    for (const waiter of this.#waitersBefore(number)) {
      waiter.failure = error;
      if (isLasting || waiter.dueAtMs <= nowMs) this.#respondNow(waiter);
    }
  }

  #stopWaiting(waiter: Waiter<Wanted, Answer>): void {
    if (waiter.seen === undefined) waiter.failure ??= new TidemarkError('STOPPING', 'this process is stopping');
    this.#respondNow(waiter);
  }

  /** With what was seen, else with why nothing was. A waiter that no look has answered yet, and that knew nothing, goes on. */
  #respondNow(waiter: Waiter<Wanted, Answer>): void {
    const { seen, failure } = waiter;
    if (failure !== undefined && seen === this.#poll.known) this.#respond(waiter, Promise.reject(failure));
    else if (seen !== undefined) this.#respond(waiter, seen);
  }

  #respond(waiter: Waiter<Wanted, Answer>, answer: Answer | Promise<never>): void {
    if (!this.#waiters.delete(waiter)) return;
    this.#poll.left?.(waiter.wanted);
    waiter.resolve(answer);
  }
}
