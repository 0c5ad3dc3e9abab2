/**
 * Ends the process where one of its threads no longer answers. A thread that is watched says so by a timer of its own, in
 * memory that all threads share; the watchdog's thread (watchdog-thread.ts) does nothing but sleep and look. It counts its own
 * looks and no clock, so that a machine that slept, or a process that got no processor, is not taken for one that hangs.
 */
import { getEnvironmentData, setEnvironmentData, Worker } from 'node:worker_threads';

export const WATCHED = ['the main thread', 'the HTTP thread', 'the thread that writes the event log'] as const;
export type Watched = (typeof WATCHED)[number];

/** Between two looks. */
export const LOOK_EVERY_MS = 500;
/**
 * After so many looks without a beat. The main thread is the one that takes SIGTERM: what comes in while it hangs must end
 * within 15 s too.
 */
export const LOOKS_ALLOWED: Readonly<Record<Watched, number>> = {
  'the main thread': 28,
  'the HTTP thread': 40,
  'the thread that writes the event log': 40,
};
/** From the signal to the end, whatever hangs: 14 to 14.5 s. */
export const LOOKS_TO_STOP = 29;

const KEY = 'tidemark:watchdog';
const BEAT_EVERY_MS = 1_000;
const MOST_THREADS = 16;

// The first words are the watchdog's own, then come those of each thread.
const ARMED = 0;
const STOPPING = 1;
const FIRST = 2;
/** Which of WATCHED it is, counted from 1; 0: nobody's. */
const KIND = 0;
const BEATS = 1;
/** What it does now that may rightly hold it for long. */
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

  /** Undefined where all places are taken. */
  enter(name: Watched): Place | undefined {
    for (let at = FIRST; at < this.#words.length; at += WORDS) {
      if (Atomics.compareExchange(this.#words, at + KIND, 0, WATCHED.indexOf(name) + 1) !== 0) continue;
      Atomics.store(this.#words, at + BLOCKING, 0);
      return new Place(this.#words, at);
    }
    return undefined;
  }
}

/** A thread's own place in the memory. */
class Place {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(words: Int32Array, at: number) {
    this.#words = words;
    this.#at = at;
  }

  beat(): void {
    Atomics.add(this.#words, this.#at + BEATS, 1);
  }

  /** @param by 1 before something that may hold the thread, -1 after it. */
  blocking(by: 1 | -1): void {
    Atomics.add(this.#words, this.#at + BLOCKING, by);
  }

  leave(): void {
    Atomics.store(this.#words, this.#at + KIND, 0);
  }
}

let place: Place | undefined;
let timer: NodeJS.Timeout | undefined;

/** Of the process, in its main thread, before it starts others: they are told by what they inherit. */
export class Watchdog {
  readonly #beats: Beats;

  constructor() {
    const memory = Beats.make();
    this.#beats = new Beats(memory);
    setEnvironmentData(KEY, memory);
    new Worker(new URL('./thread.ts', import.meta.url), { workerData: memory }).unref();
  }

  /** From now on threads that do not answer end the process, this one among them. Once everything is open. */
  arm(): void {
    watchThisThread('the main thread');
    this.#beats.arm();
  }

  /** Ends the process, if nothing else has, 14 to 14.5 s from now. */
  stop(): void {
    this.#beats.stop();
  }
}

/** Has the watchdog of the process, where it has one, expect this thread to answer from now on, until `unwatchThisThread`. */
export function watchThisThread(name: Watched): void {
  const memory = getEnvironmentData(KEY) as SharedArrayBuffer | undefined;
  if (memory === undefined || place !== undefined) return;
  place = new Beats(memory).enter(name);
  timer = setInterval(() => place?.beat(), BEAT_EVERY_MS).unref();
  process.once('exit', unwatchThisThread);
}

export function unwatchThisThread(): void {
  clearInterval(timer);
  place?.leave();
  place = undefined;
}

/** Does what may rightly hold this thread for longer than the watchdog waits. */
export async function mayBlock<T>(work: () => Promise<T>): Promise<T> {
  const held = place;
  held?.blocking(1);
  try {
    return await work();
  } finally {
    // A beat first: the timer's own may come only after the watchdog's next look.
    held?.beat();
    held?.blocking(-1);
  }
}
