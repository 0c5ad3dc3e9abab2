/** The factor by which the maximum falls with each number: to a third after 10,000, half a second under full load. */
const DECAY = 0.9999;

/** A recent maximum: a peak that decays with each number that is seen. */
export class DecayingMax {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  see(count: number): void {
    this.#value = Math.max(count, this.#value * DECAY);
  }
}
