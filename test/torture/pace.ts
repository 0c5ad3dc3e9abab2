import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.ts';

const LOOK_EVERY_MS = 20;
/** After this time without an answer, nobody is being served. */
const QUIET_MS = 500;

/**
 * The time of a schedule: that of the clock while requests are answered, slower while none are, so that a machine that
 * takes long to start a process does not spend all faults on starting ones. It waits for no longer than is allowed: then time
 * goes by as usual.
 */
export class Pace {
  readonly #load: Pick<Load, 'answeredAt'>;
  readonly #quietSpeed: number;
  readonly #maxWaitMs: number;
  #elapsedMs = 0;
  #waitedMs = 0;
  #lookedAt = performance.now();

  /**
   * @param quietSpeed How fast time goes by while nobody is answered; 1 as otherwise.
   * @param maxWaitMs How far it may fall behind the clock in all.
   */
  constructor(load: Pick<Load, 'answeredAt'>, quietSpeed: number, maxWaitMs = Infinity) {
    this.#load = load;
    this.#quietSpeed = quietSpeed;
    this.#maxWaitMs = maxWaitMs;
  }

  async reached(ms: number): Promise<void> {
    while (this.#advance() < ms) await sleep(LOOK_EVERY_MS);
  }

  #advance(): number {
    const now = performance.now();
    const isServed = now - this.#load.answeredAt < QUIET_MS;
    const passedMs = now - this.#lookedAt;
    const waitMs = isServed ? 0 : Math.min(passedMs * (1 - this.#quietSpeed), this.#maxWaitMs - this.#waitedMs);
    this.#waitedMs += waitMs;
    this.#elapsedMs += passedMs - waitMs;
    this.#lookedAt = now;
    return this.#elapsedMs;
  }
}
