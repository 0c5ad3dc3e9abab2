import { hasCode, TidemarkError } from '../runtime/errors.ts';

/** One may be chance: a checkpoint, a neighbour, a vacuum. */
const MOST_IN_A_ROW = 3;

/**
 * How often in a row something that is tried again and again timed out; and when that is often enough to look for a message
 * that is to blame.
 */
export class Timeouts {
  readonly #most: number;
  #inARow = 0;

  /**
   * @param messages Of how many messages it is: without any, none can be to blame.
   * @param isPart Whether it is a part of what was rejected before: one timeout is enough then to look into its halves.
   */
  constructor(messages: number, isPart: boolean) {
    if (messages === 0) this.#most = Infinity;
    else this.#most = isPart && messages > 1 ? 1 : MOST_IN_A_ROW;
  }

  /**
   * To be told of every failure: `STORE_REJECTED` where that makes it too many timeouts, and counting begins anew. It is
   * for the caller to make sure that the store is not to blame.
   */
  rejection(error: unknown): TidemarkError | undefined {
    this.#inARow = hasCode(error, 'STORE_TIMEOUT') ? this.#inARow + 1 : 0;
    if (!(error instanceof TidemarkError) || this.#inARow < this.#most) return undefined;
    this.#inARow = 0;
    const often = this.#most === 1 ? 'it timed out' : `it timed out ${this.#most} times in a row`;
    return new TidemarkError('STORE_REJECTED', `${often}: ${error.message}`, { cause: error });
  }
}
