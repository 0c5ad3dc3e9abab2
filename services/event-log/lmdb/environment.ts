import { type Database, open, type RootDatabase } from 'lmdb';
import { isMainThread } from 'node:worker_threads';
import { closeAtExit, ShutdownBarrier, BARRIER_BYTES } from './shutdown-barrier.ts';

export type Bytes = Database<Buffer, Uint8Array>;

// Address space, not memory or disk: on Linux and macOS the file grows as it is written. Past it lmdb maps anew.
const MAP_BYTES = 2 ** 38;
/** Partitions that a log can have. Each is an LMDB database. */
export const MAX_PARTITIONS = 5_000;

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;
/** Undefined, not made, where it is not there. */
const EXISTING = { ...BINARY, create: false };

/** What lmdb has and does not declare: memory that all threads share which have the same environment open. */
interface SharesMemory {
  getUserSharedBuffer(key: Uint8Array, initial: ArrayBuffer): ArrayBuffer;
}

/** A file of LMDB, opened by one thread. lmdb has it open once for all threads of the process, till the last lets go. */
export class LmdbEnvironment {
  readonly #root: RootDatabase<Buffer, Uint8Array>;
  readonly #gate: ShutdownBarrier;
  readonly #abandoned: Int32Array;
  readonly #leaveOpen: (() => void) | undefined;

  /** @param path A file, or a folder that holds data.mdb. */
  constructor(path: string, { isFile }: { readonly isFile: boolean }) {
    this.#root = open<Buffer, Uint8Array>({
      path,
      noSubdir: isFile,
      overlappingSync: false,
      mapSize: MAP_BYTES,
      maxDbs: MAX_PARTITIONS + 1,
      ...BINARY,
    });
    this.#gate = new ShutdownBarrier(this.#shared('gate', BARRIER_BYTES));
    this.#abandoned = new Int32Array(this.#shared('abandoned', Int32Array.BYTES_PER_ELEMENT));
    // When the main thread exits, the other threads are ended wherever they are.
    this.#leaveOpen = isMainThread ? closeAtExit(this.#gate) : undefined;
  }

  /** Whether a thread has said that nothing more is to be written with it: it must be closed by all, and opened anew. */
  get isAbandoned(): boolean {
    return Atomics.load(this.#abandoned, 0) === 1;
  }

  abandon(): void {
    Atomics.store(this.#abandoned, 0, 1);
  }

  /** Makes the database where it is absent. */
  database(name: string): Bytes {
    return this.#root.openDB(name, BINARY);
  }

  existing(name: string): Bytes | undefined {
    return this.#root.openDB(name, EXISTING) as Bytes | undefined;
  }

  /** Runs `work` as one transaction, on disk when this returns. What throws in it leaves no trace. */
  transact<T>(work: () => T): T {
    return this.#gate.pass(() => this.#root.transactionSync(work));
  }

  /** Lets the next read see what others have committed, and the pages read so far be used again. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  async close(): Promise<void> {
    this.#leaveOpen?.();
    await this.#root.close();
  }

  #shared(name: string, bytes: number): ArrayBuffer {
    const root = this.#root as unknown as SharesMemory;
    return root.getUserSharedBuffer(Buffer.from(name), new ArrayBuffer(bytes));
  }
}
