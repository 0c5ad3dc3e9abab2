/**
 * Detects repeats of earlier messages in bounded memory: it remembers a limited number of recent messages, by 53 bits
 * of a hash. A forgotten message or a hash collision only makes the stores seem to differ, which a second reading
 * clears up.
 */
export class SeenBefore {
  readonly #capacity: number;
  #current: Float64Array;
  #older: Float64Array;
  #size = 0;

  /** @param capacity The minimum number of messages remembered, at 32 bytes each. */
  constructor(capacity = 2 ** 20) {
    this.#capacity = capacity;
    this.#current = new Float64Array(2 * capacity);
    this.#older = new Float64Array(2 * capacity);
  }

  /** Returns whether the identity was added before, and adds it. */
  add(identity: string): boolean {
    const hash = hashOf(identity);
    if (lookUpHash(this.#current, hash).found) return true;
    const isKnown = lookUpHash(this.#older, hash).found;
    if (this.#size === this.#capacity) {
      [this.#current, this.#older] = [this.#older.fill(0), this.#current];
      this.#size = 0;
    }
    this.#current[lookUpHash(this.#current, hash).index] = hash;
    this.#size++;
    return isKnown;
  }
}

/** The index of the hash, or of the free cell for it. At most half of the cells are used. A free cell is 0. */
function lookUpHash(table: Float64Array, hash: number): { readonly index: number; readonly found: boolean } {
  let index = hash % table.length;
  while (table[index] !== 0) {
    if (table[index] === hash) return { index, found: true };
    index = index + 1 === table.length ? 0 : index + 1;
  }
  return { index, found: false };
}

/** 53 bits, never 0: two 32-bit multiplicative hashes side by side, in the manner of cyrb53 (public domain). */
function hashOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (b & 0x1f_ffff) + (a >>> 0) || 1;
}
