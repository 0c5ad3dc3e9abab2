import type { Writable } from 'node:stream';
import type { AudienceStore } from '../../audience/saved/audience-store.ts';
import type { Micros } from '../../messages/message.ts';
import { pause } from '../../runtime/pause.ts';

export interface WaitForChanges {
  readonly audienceId: string;
  /** The evaluation waited for is later than this. */
  readonly after: Micros;
  readonly waitMs: number;
  /** The response. The wait ends when it is closed. */
  readonly client: Pick<Writable, 'closed' | 'on'>;
}

/** `unchanged`: the time is over, the client gone, or the watch stopped. */
export type ChangesOutcome = 'changed' | 'unchanged' | 'deleted';

interface ChangesWaiter {
  readonly audienceId: string;
  readonly after: Micros;
  readonly resolve: (outcome: ChangesOutcome | Promise<never>) => void;
  readonly timer: NodeJS.Timeout;
  /** Why the last look failed; undefined once one has succeeded. */
  failure: { readonly error: unknown } | undefined;
}

const DEFAULT_INTERVAL_MS = 250;

/**
 * Waits for evaluations that change who is in an audience, in whatever process they run. All waiters share one query of
 * Postgres every interval. Without waiters nothing is queried, and analytics never is.
 */
export class ChangesWatch {
  readonly #store: Pick<AudienceStore, 'changesReadableAt'>;
  readonly #intervalMs: number;
  readonly #waiters = new Set<ChangesWaiter>();
  readonly #stopping = new AbortController();
  #isRunning = false;

  constructor(store: Pick<AudienceStore, 'changesReadableAt'>, intervalMs = DEFAULT_INTERVAL_MS) {
    this.#store = store;
    this.#intervalMs = intervalMs;
  }

  /** How many wait now. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Resolves once the changes of a later evaluation can be read, or the audience has been deleted, or the wait is over.
   *
   * @throws TidemarkError as `AudienceStore`, where the time is over and the store could not be read.
   */
  changed({ audienceId, after, waitMs, client }: WaitForChanges): Promise<ChangesOutcome> {
    if (this.#stopping.signal.aborted || client.closed) return Promise.resolve('unchanged');
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#timeOver(waiter), waitMs);
      const waiter: ChangesWaiter = { audienceId, after, resolve, timer, failure: undefined };
      this.#waiters.add(waiter);
      client.on('close', () => this.#respond(waiter, 'unchanged'));
      void this.#run();
    });
  }

  /** Ends all waits, and later ones at once. Idempotent. */
  stop(): void {
    this.#stopping.abort();
    for (const waiter of this.#waiters) this.#respond(waiter, 'unchanged');
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#waiters.size > 0) {
      await this.#look();
      await pause(this.#intervalMs, this.#stopping.signal);
    }
    this.#isRunning = false;
  }

  async #look(): Promise<void> {
    const waiters = [...this.#waiters];
    try {
      const changedAt = await this.#store.changesReadableAt([...new Set(waiters.map((one) => one.audienceId))]);
      for (const waiter of waiters) {
        waiter.failure = undefined;
        const at = changedAt.get(waiter.audienceId);
        if (at === undefined) this.#respond(waiter, 'deleted');
        else if (at !== null && at > waiter.after) this.#respond(waiter, 'changed');
      }
    } catch (error) {
      for (const waiter of waiters) waiter.failure = { error };
    }
  }

  #timeOver(waiter: ChangesWaiter): void {
    const { failure } = waiter;
    this.#respond(waiter, failure === undefined ? 'unchanged' : Promise.reject(failure.error));
  }

  #respond(waiter: ChangesWaiter, outcome: ChangesOutcome | Promise<never>): void {
    if (!this.#waiters.delete(waiter)) return;
    clearTimeout(waiter.timer);
    waiter.resolve(outcome);
  }
}
