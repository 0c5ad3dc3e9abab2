/** Which messages of a batch a store rejects, and whether the messages are to blame or the store is. */
import { hasCode, TidemarkError } from '../runtime/errors.ts';

/** `ReaderLoop.withRetry`. */
export type WithRetry = <T>(what: string, call: () => Promise<T>) => Promise<T>;

/** One timeout may be chance: a checkpoint, another process, a vacuum. */
const MAX_TIMEOUTS_IN_A_ROW = 3;

/** Counts timeouts in a row of a call that is retried, and decides when a message may be to blame. */
export class ConsecutiveTimeouts {
  readonly #most: number;
  #inARow = 0;

  /**
   * @param messages The size of the batch. In an empty batch no message can be to blame.
   * @param isPart Whether the batch is part of a rejected one. A single timeout is then reason enough to split it again.
   */
  constructor(messages: number, isPart: boolean) {
    if (messages === 0) this.#most = Infinity;
    else this.#most = isPart && messages > 1 ? 1 : MAX_TIMEOUTS_IN_A_ROW;
  }

  /**
   * Records a failure. Returns `STORE_REJECTED` if it is one timeout too many, and starts counting anew. The caller
   * must then check that the store is not to blame.
   */
  rejection(error: unknown): TidemarkError | undefined {
    this.#inARow = hasCode(error, 'STORE_TIMEOUT') ? this.#inARow + 1 : 0;
    if (!(error instanceof TidemarkError) || this.#inARow < this.#most) return undefined;
    this.#inARow = 0;
    const often = this.#most === 1 ? 'it timed out' : `it timed out ${this.#most} times in a row`;
    return new TidemarkError('STORE_REJECTED', `${often}: ${error.message}`, { cause: error });
  }
}

export interface BatchWrite {
  /** What is done, in words: `write profiles`. */
  readonly what: string;
  readonly withRetry: WithRetry;
  readonly messages: number;
  /** Whether the batch is part of a rejected one. */
  readonly isPart: boolean;
  readonly write: () => Promise<void>;
  /**
   * Checks whether the store is to blame for a rejection or for too many timeouts in a row. Throws an error other than
   * `STORE_REJECTED` if it is; the write is retried if that error is retryable.
   */
  readonly checkStore: (reason: 'rejected' | 'timed out') => Promise<void>;
}

/**
 * Writes a batch, and retries while the store is unavailable.
 *
 * @throws TidemarkError `STORE_REJECTED` if the store rejects the batch, or repeatedly does not finish it in time.
 */
export function writeOrReject({ what, withRetry, messages, isPart, write, checkStore }: BatchWrite): Promise<void> {
  const timeouts = new ConsecutiveTimeouts(messages, isPart);
  return withRetry(what, async () => {
    try {
      await write();
    } catch (error) {
      const rejection = timeouts.rejection(error);
      if (rejection !== undefined) await checkStore('timed out');
      else if (hasCode(error, 'STORE_REJECTED')) await checkStore('rejected');
      throw rejection ?? error;
    }
  });
}

/**
 * Performs a write that a store in order accepts.
 *
 * @throws TidemarkError `STORE_UNAVAILABLE`, retryable, with this message if the store rejects it.
 */
export async function expectAccepted(message: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    if (!hasCode(cause, 'STORE_REJECTED')) throw cause;
    throw new TidemarkError('STORE_UNAVAILABLE', message, { cause });
  }
}

export interface Bisection<Part, Rejected> {
  /** @throws TidemarkError `STORE_REJECTED` if one of the messages is to blame. */
  readonly write: (part: Part, isPart: boolean) => Promise<void>;
  /** The halves of a part, in the order of writing; undefined for a part that cannot be split. */
  readonly halvesOf: (part: Part) => readonly Part[] | undefined;
  /** Called with each rejected part that cannot be split, before anything after it is written. */
  readonly reject: (part: Part, error: TidemarkError) => Promise<Rejected> | Rejected;
}

/**
 * Writes all messages of a batch except those that the store permanently rejects. They are found by bisection, so that a
 * few in 50,000 cost some 30 writes.
 *
 * @throws whatever else `write` and `reject` throw.
 */
export async function bisectRejected<Part, Rejected>(
  part: Part,
  bisection: Bisection<Part, Rejected>,
  isPart = false,
): Promise<readonly Rejected[]> {
  try {
    await bisection.write(part, isPart);
    return [];
  } catch (error) {
    if (!hasCode(error, 'STORE_REJECTED')) throw error;
    const halves = bisection.halvesOf(part);
    if (halves === undefined) return [await bisection.reject(part, error)];
    const rejected: Rejected[] = [];
    for (const half of halves) rejected.push(...(await bisectRejected(half, bisection, true)));
    return rejected;
  }
}
