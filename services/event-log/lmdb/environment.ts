import { type Database, open, type RootDatabase } from 'lmdb';
import { isMainThread } from 'node:worker_threads';
import { MAX_PARTITIONS } from '../embedded/layout.ts';
import { closeAtExit, ShutdownBarrier, BARRIER_BYTES } from '../embedded/shutdown-barrier.ts';

export type Bytes = Database<Buffer, Uint8Array>;

// Address space, not memory or disk: on Linux and macOS the file grows as it is written. lmdb maps more when needed.
const MAP_BYTES = 2 ** 38;

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;
/** Yields undefined where the database does not exist. */
const EXISTING = { ...BINARY, create: false };

/** Not declared by lmdb's types: memory shared by all threads that have the same environment open. */
interface SharesMemory {
  getUserSharedBuffer(key: Uint8Array, initial: ArrayBuffer): ArrayBuffer;
}

/** An LMDB file, opened by one thread. lmdb opens it once for all threads of the process, until the last closes it. */
export class LmdbEnvironment {
  readonly #root: RootDatabase<Buffer, Uint8Array>;
  readonly #barrier: ShutdownBarrier;
  readonly #abandoned: Int32Array;
  readonly #leaveOpen: (() => void) | undefined;

  /** @param path A file, or a folder that holds data.mdb. */
  constructor(path: string, { isFile }: { readonly isFile: boolean }) {
    this.#root = open<Buffer, Uint8Array>({
      path,
      noSubdir: isFile,
      overlappingSync: false,
      mapSize: MAP_BYTES,
      // Each partition is an LMDB database.
      maxDbs: MAX_PARTITIONS + 1,
      ...BINARY,
    });
    this.#barrier = new ShutdownBarrier(this.#shared('barrier', BARRIER_BYTES));
    this.#abandoned = new Int32Array(this.#shared('abandoned', Int32Array.BYTES_PER_ELEMENT));
    // When the main thread exits, the other threads end wherever they are.
    this.#leaveOpen = isMainThread ? closeAtExit(this.#barrier) : undefined;
  }

  /** Whether a thread has abandoned it: nothing more is written with it, and all threads must close and reopen it. */
  get isAbandoned(): boolean {
    return Atomics.load(this.#abandoned, 0) === 1;
  }

  abandon(): void {
    Atomics.store(this.#abandoned, 0, 1);
  }

  /** Creates the database where it does not exist. */
  database(name: string): Bytes {
    return this.#root.openDB(name, BINARY);
  }

  existing(name: string): Bytes | undefined {
    return this.#root.openDB(name, EXISTING) as Bytes | undefined;
  }

  /** Runs `work` as one transaction, which is on disk when this returns. If it throws, nothing is written. */
  transact<T>(work: () => T): T {
    return this.#barrier.pass(() => this.#root.transactionSync(work));
  }

  /** Ends the read transaction: the next read sees later commits, and pages of the old state can be reused. */
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
