/**
 * A thread that is ended inside a transaction keeps LMDB's lock and then waits for it itself, for ever: the process does
 * not exit, and no other can write (seen with lmdb 3.5.6: EnvWrap::cleanupStrayTxns in its cleanup hook). So whoever ends
 * threads closes the gate that their transactions pass, which waits until none is under way.
 */
import { TidemarkError } from '../../runtime/errors.ts';
import { sleepSync } from '../../runtime/pause.ts';

const CLOSED = 0;
const UNDER_WAY = 1;
const WORDS = 2;

export const BARRIER_BYTES = WORDS * Int32Array.BYTES_PER_ELEMENT;

// A transaction takes milliseconds. One that takes this long hangs for another reason, and the exit may as well.
const LONGEST_MS = 10_000;

/** Two words of memory that several threads share. */
export class ShutdownBarrier {
  readonly #words: Int32Array;

  constructor(memory: ArrayBufferLike) {
    this.#words = new Int32Array(memory, 0, WORDS);
  }

  /** @throws TidemarkError `STOPPING` where the gate is closed. */
  pass<T>(work: () => T): T {
    Atomics.add(this.#words, UNDER_WAY, 1);
    try {
      if (Atomics.load(this.#words, CLOSED) === 1) throw new TidemarkError('STOPPING', 'the process is about to exit');
      return work();
    } finally {
      Atomics.sub(this.#words, UNDER_WAY, 1);
    }
  }

  /** Holds up the thread until nobody is within. */
  close(): void {
    Atomics.store(this.#words, CLOSED, 1);
    const deadlineMs = performance.now() + LONGEST_MS;
    while (Atomics.load(this.#words, UNDER_WAY) > 0 && performance.now() < deadlineMs) sleepSync(1);
  }
}

const atExit = new Set<ShutdownBarrier>();

/** Closes a gate when this thread exits, of itself or by an error. Returns what takes that back. */
export function closeAtExit(gate: ShutdownBarrier): () => void {
  if (atExit.size === 0) process.on('exit', closeAll);
  atExit.add(gate);
  return () => {
    atExit.delete(gate);
    if (atExit.size === 0) process.off('exit', closeAll);
  };
}

function closeAll(): void {
  for (const gate of atExit) gate.close();
}
