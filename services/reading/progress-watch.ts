import type { Position, TopicPartition } from '../event-log/event-log.ts';
import { nameOf } from '../event-log/partition.ts';
import type { ReaderProgress } from '../profiles/profile-store.ts';
import { isRetryable, TidemarkError } from '../runtime/errors.ts';

/** A place in the log: a reader has passed it whose next offset in the partition is this one or a later one. */
export interface Place extends TopicPartition {
  readonly offset: bigint;
}

/** Which readers have passed a set of places. */
export interface Passed {
  readonly projected: boolean;
  readonly queryable: boolean;
}

export interface WaitOptions {
  /** How long the answer may take to become true of both; 0 is the state now. */
  readonly waitMs: number;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

interface Waiter {
  /** Partitions by name, put together once: with thousands who wait, every look goes over all of them. */
  readonly wanted: readonly { readonly name: string; readonly offset: bigint }[];
  readonly resolve: (answer: Passed) => void;
  readonly reject: (error: unknown) => void;
  /** The last answer; undefined before the first look. What readers have passed stays passed, so it is a lower bound. */
  seen: Passed | undefined;
  /** What kept the last look from an answer. */
  failure: unknown;
  /** Its time is over: the next look settles it, whatever it brings. */
  isDue: boolean;
}

const NEITHER: Passed = { projected: false, queryable: false };
const DEFAULT_INTERVAL_MS = 25;

/**
 * Tells when the readers have passed places in the log. Whoever asks shares one look at the readers' positions, at most
 * one every interval, and none while nobody asks: a thousand who wait cost the store what one does.
 */
export class ProgressWatch {
  readonly #progress: ReaderProgress;
  readonly #intervalMs: number;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
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

  /**
   * Resolves once both readers have passed every place, or with how far they were when the time is over, the signal
   * aborted or the watch stopped. While the positions cannot be read it goes on trying as long as it may wait.
   *
   * @throws TidemarkError as `ReaderProgress` does, where the time is over with nothing seen; `STOPPING`, likewise.
   */
  passed(places: readonly Place[], { waitMs, signal }: WaitOptions): Promise<Passed> {
    if (this.#isStopped) return Promise.reject(stopping());
    if (signal.aborted) return Promise.resolve(NEITHER);
    const { promise, resolve, reject } = Promise.withResolvers<Passed>();
    const wanted = places.map((place) => ({ name: nameOf(place), offset: place.offset }));
    const waiter: Waiter = { wanted, resolve, reject, seen: undefined, failure: undefined, isDue: waitMs === 0 };
    const timer = waitMs === 0 ? undefined : setTimeout(() => this.#timeIsOver(waiter), waitMs);
    const leave = (): void => this.#settle(waiter, waiter.seen ?? NEITHER);
    signal.addEventListener('abort', leave, { once: true });
    this.#waiters.add(waiter);
    this.#schedule();
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    });
  }

  /** Answers everybody who waits, at once, and refuses who comes after. Idempotent. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const waiter of this.#waiters) {
      waiter.failure ??= stopping();
      this.#settleNow(waiter);
    }
  }

  #schedule(): void {
    if (this.#isLooking || this.#timer !== undefined) return;
    const untilNextMs = this.#lookedAtMs + this.#intervalMs - performance.now();
    if (untilNextMs <= 0) void this.#look();
    else this.#timer = setTimeout(() => void this.#look(), untilNextMs);
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    // Who comes while this look is under way is not answered by it: it may have begun before what they ask about.
    const waiters = [...this.#waiters];
    if (waiters.length === 0) return;
    this.#isLooking = true;
    this.#lookedAtMs = performance.now();
    try {
      const { projector, sink } = await this.#progress.progress();
      const [projected, queryable] = [offsetsOf(projector), offsetsOf(sink)];
      for (const waiter of waiters) this.#answer(waiter, passedBy(projected, waiter), passedBy(queryable, waiter));
    } catch (error) {
      for (const waiter of waiters) this.#fail(waiter, error);
    }
    this.#isLooking = false;
    if (this.#waiters.size > 0) this.#schedule();
  }

  #answer(waiter: Waiter, projected: boolean, queryable: boolean): void {
    waiter.seen = { projected, queryable };
    if (waiter.isDue || (projected && queryable)) this.#settle(waiter, waiter.seen);
  }

  #fail(waiter: Waiter, error: unknown): void {
    waiter.failure = error;
    if (waiter.isDue || !isRetryable(error)) this.#settleNow(waiter);
  }

  #timeIsOver(waiter: Waiter): void {
    waiter.isDue = true;
    if (waiter.seen !== undefined || waiter.failure !== undefined) this.#settleNow(waiter);
  }

  /** With what was seen last, else with what kept it from being seen. */
  #settleNow(waiter: Waiter): void {
    if (waiter.seen !== undefined) this.#settle(waiter, waiter.seen);
    else if (this.#waiters.delete(waiter)) waiter.reject(waiter.failure);
  }

  #settle(waiter: Waiter, answer: Passed): void {
    if (this.#waiters.delete(waiter)) waiter.resolve(answer);
  }
}

/** Next offset by partition. */
function offsetsOf(positions: readonly Position[]): ReadonlyMap<string, bigint> {
  return new Map(positions.map((position) => [nameOf(position), position.offset]));
}

function passedBy(offsets: ReadonlyMap<string, bigint>, { wanted }: Waiter): boolean {
  return wanted.every(({ name, offset }) => (offsets.get(name) ?? 0n) >= offset);
}

function stopping(): TidemarkError {
  return new TidemarkError('STOPPING', 'this process is stopping');
}
