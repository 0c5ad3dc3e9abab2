/**
 * What all threads that have a log of this process open share: a lock, up to where the log is flushed, and in what state
 * it is. The memory reaches a thread through the environment data of the thread that starts it, so it must exist before a
 * thread starts that opens the log, if its own thread opens it too (`shareLog`).
 */
import { resolve } from 'node:path';
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { LogEnd } from './head.ts';

const WORD = { owner: 0, stores: 1, state: 2, overwrites: 3, first: 4, locker: 5 } as const;
/** The flushed end: the number of the segment in the upper half, the position in the lower. */
const FLUSHED_AT = 32;
const MEMORY_BYTES = 40;

export const LOG_STATE = {
  /** The next frame goes to the flushed end. */
  ready: 0,
  /** A frame is being written. Where a thread finds this under the lock, another ended in the middle of it. */
  writing: 1,
  /** A write or flush failed: the rest goes into a new segment. */
  failed: 2,
  /** The segment is full and has its index: the rest goes into a new one. */
  full: 3,
} as const;
export type LogState = (typeof LOG_STATE)[keyof typeof LOG_STATE];

// A commit takes milliseconds, on a disk that is overloaded seconds.
const LONGEST_COMMIT_MS = 60_000;

const SEGMENT_BYTES = 'segment bytes of event logs';

/** A segment of 64 MB, or as small as a test has set it for its process. */
export function segmentBytesOfProcess(): number {
  return Number(getEnvironmentData(SEGMENT_BYTES) ?? 64 * 2 ** 20);
}

/** For tests: of logs that this thread opens from now on, and threads that it starts. */
export function setSegmentBytes(bytes: number): void {
  setEnvironmentData(SEGMENT_BYTES, bytes);
}

/** Makes what the threads of this process share of the log in a folder, unless it exists. */
export function shareLog(folder: string): SharedLog {
  const name = `the event log in ${resolve(folder)}`;
  let memory = getEnvironmentData(name) as SharedArrayBuffer | undefined;
  if (memory === undefined) {
    memory = new SharedArrayBuffer(MEMORY_BYTES);
    setEnvironmentData(name, memory);
  }
  return new SharedLog(memory);
}

export class SharedLog {
  readonly #words: Int32Array;
  readonly #flushed: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(MEMORY_BYTES)) {
    this.#words = new Int32Array(memory, 0, FLUSHED_AT / Int32Array.BYTES_PER_ELEMENT);
    this.#flushed = new BigInt64Array(memory, FLUSHED_AT, 1);
  }

  /**
   * Runs `work` while no other thread does. Within another such work of this thread it runs at once.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE` where another thread does not finish in a minute.
   */
  exclusively<T>(work: () => T): T {
    const own = threadId + 1;
    if (Atomics.load(this.#words, WORD.owner) === own) return work();
    const deadlineMs = performance.now() + LONGEST_COMMIT_MS;
    for (;;) {
      const owner = Atomics.compareExchange(this.#words, WORD.owner, 0, own);
      if (owner === 0) break;
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0)
        throw new TidemarkError('LOG_UNAVAILABLE', 'another thread does not finish writing the event log');
      Atomics.wait(this.#words, WORD.owner, owner, leftMs);
    }
    try {
      return work();
    } finally {
      this.#free(own);
    }
  }

  /** Frees the lock where a thread that has ended still had it. */
  threadEnded(ended: number): void {
    this.#free(ended + 1);
  }

  #free(owner: number): void {
    if (Atomics.compareExchange(this.#words, WORD.owner, owner, 0) === owner)
      Atomics.notify(this.#words, WORD.owner, 1);
  }

  /** How many stores of the process have the log open. */
  get stores(): number {
    return Atomics.load(this.#words, WORD.stores);
  }

  set stores(count: number) {
    Atomics.store(this.#words, WORD.stores, count);
  }

  get state(): LogState {
    return Atomics.load(this.#words, WORD.state) as LogState;
  }

  set state(state: LogState) {
    Atomics.store(this.#words, WORD.state, state);
  }

  /** It changes whenever bytes of the log were overwritten, or segments cut. */
  get overwrites(): number {
    return Atomics.load(this.#words, WORD.overwrites);
  }

  countOverwrite(): void {
    Atomics.add(this.#words, WORD.overwrites, 1);
  }

  /** The number of the first segment that has not been cut. */
  get first(): number {
    return Atomics.load(this.#words, WORD.first);
  }

  set first(segment: number) {
    Atomics.store(this.#words, WORD.first, segment);
  }

  /** The thread that has locked the folder against other processes, and 1; 0 where none has. */
  get locker(): number {
    return Atomics.load(this.#words, WORD.locker);
  }

  set locker(thread: number) {
    Atomics.store(this.#words, WORD.locker, thread);
  }

  /** Readers see what lies before it. */
  get flushed(): LogEnd {
    const both = Atomics.load(this.#flushed, 0);
    return { segment: Number(both >> 32n), end: Number(both & 0xffff_ffffn) };
  }

  set flushed({ segment, end }: LogEnd) {
    Atomics.store(this.#flushed, 0, (BigInt(segment) << 32n) | BigInt(end));
  }
}
