/**
 * A thread that ends inside a transaction keeps LMDB's lock and then waits for it itself, without end: the process does not
 * exit, and no other process can write (seen with lmdb 3.5.6: EnvWrap::cleanupStrayTxns in its cleanup hook). So the
 * transactions pass a barrier. Before threads are ended it is closed, which waits until no transaction is in progress.
 */
import { TidemarkError } from '../../runtime/errors.ts';
import { sleepSync } from '../../runtime/pause.ts';

const CLOSED = 0;
const IN_PROGRESS = 1;
const WORDS = 2;

export const BARRIER_BYTES = WORDS * Int32Array.BYTES_PER_ELEMENT;

// A transaction takes milliseconds. One that takes this long hangs for another reason, so the exit need not wait longer.
const LONGEST_MS = 10_000;

/** Two words of memory that several threads share. */
export class ShutdownBarrier {
  readonly #words: Int32Array;

  constructor(memory: ArrayBufferLike) {
    this.#words = new Int32Array(memory, 0, WORDS);
  }

  /** @throws TidemarkError `STOPPING` where the barrier is closed. */
  pass<T>(work: () => T): T {
    Atomics.add(this.#words, IN_PROGRESS, 1);
    try {
      if (Atomics.load(this.#words, CLOSED) === 1) throw new TidemarkError('STOPPING', 'the process is about to exit');
      return work();
    } finally {
      Atomics.sub(this.#words, IN_PROGRESS, 1);
    }
  }

  /** Blocks the thread until no transaction is in progress. */
  close(): void {
    Atomics.store(this.#words, CLOSED, 1);
    const deadlineMs = performance.now() + LONGEST_MS;
    while (Atomics.load(this.#words, IN_PROGRESS) > 0 && performance.now() < deadlineMs) sleepSync(1);
  }
}

const atExit = new Set<ShutdownBarrier>();

/** Closes a barrier when this thread exits, normally or by an error. Returns a function that revokes this. */
export function closeAtExit(barrier: ShutdownBarrier): () => void {
  if (atExit.size === 0) process.on('exit', closeAll);
  atExit.add(barrier);
  return () => {
    atExit.delete(barrier);
    if (atExit.size === 0) process.off('exit', closeAll);
  };
}

function closeAll(): void {
  for (const barrier of atExit) barrier.close();
}
