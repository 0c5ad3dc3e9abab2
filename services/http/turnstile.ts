import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';

/**
 * Lets so many requests be open at once, from their admission until their answer has left or the client is gone: what one of
 * them may hold in memory is held so often at most, however many ask, and however slowly they read.
 */
export class Turnstile {
  readonly #most: number;
  #open = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** For a route's `admit`. */
  admit({ res }: Pick<Call, 'res'>): Refusal | undefined {
    if (this.#open >= this.#most) return OVERLOADED;
    // Its client has left already: it tells so no more.
    if (res.closed) return undefined;
    this.#open++;
    res.once('close', () => this.#open--);
    return undefined;
  }
}

const OVERLOADED: Refusal = {
  refused: 'overloaded',
  detail: 'As many requests of this kind as this process may hold are being answered. Send it again later.',
};
