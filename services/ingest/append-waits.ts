/** Bodies up to this size have few records, so that they take no time by themselves. */
const SMALL_BYTES = 4_096;
/** By how much the least is forgotten with each look: it doubles in an hour of looks every 400 ms. */
const RISE = 2 ** (1 / 9_000);
/** Until a shorter append is seen: a slow machine takes half of it. */
const FIRST_LEAST_MS = 0.5;
/** A commit is under way while the next gathers, so that an append takes up to two without any line. */
const COMMITS = 2;

/**
 * Whether requests stand in line for the event log. While they do, even the shortest append of a moment waits. Otherwise some
 * append of each moment takes no longer than it must, however busy the machine is.
 */
export class AppendWaits {
  #shortestMs = Infinity;
  #commitMs = Infinity;
  /** The shortest that any append took besides its commit: what threads and system take. The disk's time changes by itself. */
  #leastMs = FIRST_LEAST_MS;

  /** @param commitMs How long the commit took that it was in. */
  see(bytes: number, tookMs: number, commitMs: number): void {
    if (bytes > SMALL_BYTES) return;
    if (tookMs < this.#shortestMs) this.#shortestMs = tookMs;
    if (commitMs < this.#commitMs) this.#commitMs = commitMs;
    if (tookMs - commitMs < this.#leastMs) this.#leastMs = tookMs - commitMs;
  }

  /** How many times as long as it must at most the shortest append since the last look took; 0 after none. */
  look(): number {
    const [shortestMs, commitMs] = [this.#shortestMs, this.#commitMs];
    if (shortestMs === Infinity) return 0;
    this.#shortestMs = this.#commitMs = Infinity;
    const load = shortestMs / (this.#leastMs + COMMITS * commitMs);
    this.#leastMs *= RISE;
    return load;
  }
}
