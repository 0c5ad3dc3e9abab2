const WATCHED = ['the main thread', 'the HTTP thread', 'the thread that writes the event log'] as const;
export type Watched = (typeof WATCHED)[number];

/** Between two checks. */
export const CHECK_INTERVAL_MS = 500;
/**
 * The number of checks without a beat after which the process ends. The main thread handles SIGTERM: a signal that arrives
 * while it hangs must end the process within 15 s too.
 */
export const CHECKS_ALLOWED: Readonly<Record<Watched, number>> = {
  'the main thread': 28,
  'the HTTP thread': 40,
  'the thread that writes the event log': 40,
};
/** From the signal to the end, even if threads hang: 14 to 14.5 s. */
export const CHECKS_TO_STOP = 29;

const MOST_THREADS = 16;

// The first words are the watchdog's own, then come those of each thread.
const ARMED = 0;
const STOPPING = 1;
const FIRST = 2;
/** The index in WATCHED, counted from 1; 0: free. */
const KIND = 0;
const BEATS = 1;
/** How many operations are under way that may block the thread for long. */
const BLOCKING = 2;
const WORDS = 3;

export interface WatchedThread {
  readonly name: Watched;
  readonly beats: number;
  readonly mayBlock: boolean;
}

/** The memory, as every thread sees it. */
export class Beats {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  static make(): SharedArrayBuffer {
    return new SharedArrayBuffer((FIRST + MOST_THREADS * WORDS) * Int32Array.BYTES_PER_ELEMENT);
  }

  get isArmed(): boolean {
    return Atomics.load(this.#words, ARMED) === 1;
  }

  get isStopping(): boolean {
    return Atomics.load(this.#words, STOPPING) === 1;
  }

  arm(): void {
    Atomics.store(this.#words, ARMED, 1);
  }

  stop(): void {
    Atomics.store(this.#words, STOPPING, 1);
  }

  /** Those that are watched now, each at an index that it keeps. */
  threads(): readonly (WatchedThread | undefined)[] {
    return Array.from({ length: MOST_THREADS }, (_, index) => {
      const at = FIRST + index * WORDS;
      const name = WATCHED[Atomics.load(this.#words, at + KIND) - 1];
      if (name === undefined) return undefined;
      return {
        name,
        beats: Atomics.load(this.#words, at + BEATS),
        mayBlock: Atomics.load(this.#words, at + BLOCKING) > 0,
      };
    });
  }

  /** Undefined where all slots are taken. */
  enter(name: Watched): ThreadSlot | undefined {
    for (let at = FIRST; at < this.#words.length; at += WORDS) {
      if (Atomics.compareExchange(this.#words, at + KIND, 0, WATCHED.indexOf(name) + 1) !== 0) continue;
      Atomics.store(this.#words, at + BLOCKING, 0);
      return new ThreadSlot(this.#words, at);
    }
    return undefined;
  }
}

/** A thread's own slot in the shared memory. */
export class ThreadSlot {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(words: Int32Array, at: number) {
    this.#words = words;
    this.#at = at;
  }

  beat(): void {
    Atomics.add(this.#words, this.#at + BEATS, 1);
  }

  /** @param by 1 before an operation that may block the thread, -1 after it. */
  blocking(by: 1 | -1): void {
    Atomics.add(this.#words, this.#at + BLOCKING, by);
  }

  leave(): void {
    Atomics.store(this.#words, this.#at + KIND, 0);
  }
}
