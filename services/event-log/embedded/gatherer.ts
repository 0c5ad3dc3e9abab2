import { DecayingMax } from '../../runtime/decaying-max.ts';
import { MAX_BATCH_BYTES } from './batch.ts';

/** An item of a batch. */
export interface Gathered {
  readonly bytes: number;
}

/** One is being written, one waits in the writer thread, which can begin it without waiting for this thread. */
const MAX_BATCHES_IN_PROGRESS = 2;

// Clients that wait for their answers synchronize: all their requests arrive in one turn of the event loop, and all wait for
// one commit, during which this thread is idle. So half of them are sent before the turn ends and are committed while the
// other half arrives (a seventh to a fifth more requests a second).
const MIN_HALF = 8;

/** Gathers items into batches. At most two are in progress, in order; what arrives meanwhile goes into the next. */
export class Gatherer<T extends Gathered> {
  readonly #send: (batch: readonly T[]) => Promise<void>;
  readonly #waiting: T[] = [];
  readonly #running = new Set<Promise<void>>();
  /** The number of items in batches in progress. */
  #inProgress = 0;
  readonly #open = new DecayingMax();
  #isTurnAwaited = false;

  /** @param send Resolves when the batch is finished, whether or not it succeeded. */
  constructor(send: (batch: readonly T[]) => Promise<void>) {
    this.#send = send;
  }

  add(item: T): void {
    this.#waiting.push(item);
    this.#open.see(this.#waiting.length + this.#inProgress);
    if (this.#isHalfWaiting && this.#mayStart) this.#start();
    else this.#startAfterTurn();
  }

  /** Whether half of the number of items that are usually open at once wait. */
  get #isHalfWaiting(): boolean {
    return this.#waiting.length >= Math.max(MIN_HALF, this.#open.value / 2);
  }

  /** Resolves once nothing waits or is in progress. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running.size > 0 || this.#waiting.length > 0) {
      await Promise.all(this.#running);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Starts a batch after this turn of the event loop, so that everything that arrives in it is included. While another
   * batch is in progress, for which it would wait anyway, it also includes what later turns bring, until one brings nothing.
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
    return this.#running.size < MAX_BATCHES_IN_PROGRESS && this.#waiting.length > 0;
  }

  #start(): void {
    const batch = this.#take();
    this.#inProgress += batch.length;
    const running = this.#send(batch).finally(() => {
      this.#inProgress -= batch.length;
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
