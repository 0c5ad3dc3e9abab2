import type { TopicPartition } from '../../event-log/event-log.ts';

export type PartitionEnd = TopicPartition & { readonly offset: bigint };

/** A listener with more untaken events reads alone from there on, until it has caught up. */
const MAX_QUEUED = 4;

/** What a listener that shares a reading is given. */
export interface Shared {
  /** The text of an event, and up to where the log was read with it. */
  readonly text: string;
  readonly ends: readonly PartitionEnd[];
}

/** One listener of a shared reading. */
export class Sharer {
  readonly #signal: AbortSignal;
  readonly #queue: Shared[] = [];
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** Whether it goes on; else it takes what is queued and reads by itself from there. */
  add(event: Shared): boolean {
    this.#isOver = this.#queue.length >= MAX_QUEUED;
    if (!this.#isOver) this.#queue.push(event);
    this.#wake();
    return !this.#isOver;
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /** Undefined at the end. */
  async next(): Promise<Shared | undefined> {
    for (;;) {
      if (this.#signal.aborted) return undefined;
      if (this.#failure !== undefined) throw this.#failure.error;
      const event = this.#queue.shift();
      if (event !== undefined || this.#isOver) return event;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
