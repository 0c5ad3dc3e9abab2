import { DecayingMax } from '../../runtime/decaying-max.ts';
import { MAX_BATCH_BYTES } from './batch.ts';

/** What is gathered: something that goes along in a batch. */
export interface Gathered {
  readonly bytes: number;
}

/** One is being written, one waits in the writing thread, which so begins it without a turn of this thread between. */
const MAX_BATCHES_UNDER_WAY = 2;

// Clients that wait for their answers fall into step: all of them come within a turn, and all wait for one commit, in
// which this thread has nothing to do. So half of them are sent off before the turn is over and are committed while the
// other half comes (a seventh to a fifth more requests a second).
const LEAST_HALF = 8;

/** Gathers what is to be written into batches: two are under way, in their order, and what comes meanwhile is the next. */
export class Gatherer<T extends Gathered> {
  readonly #send: (batch: readonly T[]) => Promise<void>;
  readonly #waiting: T[] = [];
  readonly #running = new Set<Promise<void>>();
  /** How many are in the batches under way. */
  #underWay = 0;
  readonly #open = new DecayingMax();
  #isTurnAwaited = false;

  /** @param send Takes a batch, and resolves when it is done with, whatever came of it. */
  constructor(send: (batch: readonly T[]) => Promise<void>) {
    this.#send = send;
  }

  add(item: T): void {
    this.#waiting.push(item);
    this.#open.see(this.#waiting.length + this.#underWay);
    if (this.#isHalfWaiting && this.#mayStart) this.#start();
    else this.#startAfterTurn();
  }

  /** Whether half of those that are usually open at once wait. */
  get #isHalfWaiting(): boolean {
    return this.#waiting.length >= Math.max(LEAST_HALF, this.#open.value / 2);
  }

  /** Resolves once nothing is under way or waits. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running.size > 0 || this.#waiting.length > 0) {
      await Promise.all(this.#running);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Once whatever else this turn of the event loop brings is there to go along; and beside a batch under way, for which
   * it would wait anyway, whatever else the next turns bring, until one brings nothing.
   */
  #startAfterTurn(): void {
    if (this.#isTurnAwaited || !this.#mayStart) return;
    this.#isTurnAwaited = true;
    this.#awaitTurn(0);
  }

  #awaitTurn(before: number): void {
    setImmediate(() => {
      const waiting = this.#waiting.length;
      if (this.#running.size > 0 && waiting > before && !this.#isHalfWaiting) return this.#awaitTurn(waiting);
      this.#isTurnAwaited = false;
      if (this.#mayStart) this.#start();
    });
  }

  get #mayStart(): boolean {
    return this.#running.size < MAX_BATCHES_UNDER_WAY && this.#waiting.length > 0;
  }

  #start(): void {
    const batch = this.#take();
    this.#underWay += batch.length;
    const running = this.#send(batch).finally(() => {
      this.#underWay -= batch.length;
      this.#running.delete(running);
      this.#startAfterTurn();
    });
    this.#running.add(running);
  }

  #take(): readonly T[] {
    let bytes = 0;
    const more = this.#waiting.findIndex((item) => (bytes += item.bytes) > MAX_BATCH_BYTES);
    if (more === -1) return this.#waiting.splice(0);
    return this.#waiting.splice(0, Math.max(1, more));
  }
}
