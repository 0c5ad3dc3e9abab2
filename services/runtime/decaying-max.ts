/** Of how many were seen at most, from one time to the next: a third of it after 10,000, half a second of many. */
const REMEMBERED = 0.9999;

/** The most of late: a peak that fades with each number that is seen. */
export class DecayingMax {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  see(count: number): void {
    this.#value = Math.max(count, this.#value * REMEMBERED);
  }
}
