import { type Database, open, type RootDatabase } from 'lmdb';
import { isMainThread } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { TidemarkError } from '../runtime/errors.ts';
import type { LogRecord, Position } from './event-log.ts';
import { read, write } from './lmdb-books.ts';
import { countOf, type Limits, readRecords, sealChunk } from './lmdb-chunk.ts';
import { damaged, failureOf } from './lmdb-errors.ts';
import { closeAtExit, Gate, GATE_BYTES } from './lmdb-gate.ts';
import { grown, Layout, nameOf, type Slot, type Topic } from './lmdb-layout.ts';

/** The first record of a log's books: what this is. */
interface Format {
  /** Of the layout below; a reader refuses a higher one than its own. */
  readonly format: number;
  readonly topics: readonly Topic[];
}

/** A position as JSON can hold it. */
interface CommittedPosition extends Omit<Position, 'offset'> {
  readonly offset: string;
}

const FORMAT = 1;

// Address space, not memory or disk: on Linux and macOS the file grows as it is written. Past it lmdb maps anew.
const MAP_BYTES = 2 ** 38;
const MAX_SLOTS = 5_000;

const BOOKS = 'books';
const FORMAT_KEY = Buffer.from('format');
const ENDS_KEY = Buffer.from('ends');
const APPEND = { append: true };
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;
/** Undefined, not made, where it is not there. */
const EXISTING = { ...BINARY, create: false };

type Bytes = Database<Buffer, Uint8Array>;

/** What lmdb has and does not declare: memory that all threads share which have the same environment open. */
interface SharesMemory {
  getUserSharedBuffer(key: Uint8Array, initial: ArrayBuffer): ArrayBuffer;
}

/**
 * The LMDB environment of a log, opened by one thread. A database `TOPIC/PARTITION` for every partition maps the first
 * offset of a chunk (u64, big-endian) to the chunk; `books` holds the format, the next offset of every partition, the
 * groups' leases and committed positions, each behind a CRC-32.
 *
 * Commits flush before they return: `overlappingSync` is off. Seen with strace: the pages by writev, fdatasync, then the
 * page that makes them the truth through a descriptor opened with O_DSYNC.
 */
export class LmdbStore {
  readonly layout: Layout;
  readonly #root: RootDatabase<Buffer, Uint8Array>;
  readonly #gate: Gate;
  readonly #leaveOpen: (() => void) | undefined;
  readonly #books: Bytes;
  readonly #partitions: readonly Bytes[];
  readonly #key = Buffer.alloc(8);

  private constructor(root: RootDatabase<Buffer, Uint8Array>, gate: Gate, books: Bytes, topics: readonly Topic[]) {
    this.#root = root;
    this.#gate = gate;
    // When the main thread exits, the other threads are ended wherever they are.
    this.#leaveOpen = isMainThread ? closeAtExit(gate) : undefined;
    this.#books = books;
    this.layout = new Layout(topics);
    this.#partitions = this.layout.slots.map((slot) => root.openDB(nameOf(slot), BINARY));
  }

  /** Makes a log in a file that is not there yet. */
  static async create(file: string, topics: readonly Topic[]): Promise<void> {
    checkSize(topics);
    const root = openRoot(file, true);
    const gate = gateOf(root);
    const store = transactOn(root, gate, () => {
      const made = new LmdbStore(root, gate, root.openDB(BOOKS, BINARY), topics);
      made.#putFormat(topics);
      made.putEnds(new Float64Array(made.layout.slots.length));
      return made;
    });
    await store.close();
  }

  /**
   * Opens the log in a folder and makes those topics that it lacks.
   *
   * @throws TidemarkError `LOG_FOREIGN` where the database is none of ours or newer; `LOG_DAMAGED`; `CONFIG_INVALID` as
   *   `grown`.
   */
  static open(folder: string, wanted: readonly string[], partitions: number | undefined): LmdbStore {
    const root = openRoot(folder, false);
    const gate = gateOf(root);
    try {
      return transactOn(root, gate, () => {
        const books: Bytes | undefined = root.openDB(BOOKS, EXISTING);
        if (books === undefined) throw foreign('holds an LMDB database that is no event log');
        const { topics } = readFormat(read(books, FORMAT_KEY));
        const all = grown(topics, wanted, partitions);
        checkSize(all);
        const store = new LmdbStore(root, gate, books, all);
        if (all.length > topics.length) store.#grow(all);
        return store;
      });
    } catch (error) {
      void root.close();
      throw error;
    }
  }

  /** Runs `work` as one transaction, on disk when this returns. What throws in it leaves no trace. */
  transact<T>(work: () => T): T {
    return transactOn(this.#root, this.#gate, work);
  }

  /** Lets the next read see what others have committed, and the pages read so far be used again. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  /** Looks at what stands there now. @throws TidemarkError `LOG_DAMAGED`, `LOG_UNAVAILABLE`. */
  look<T>(at: () => T): T {
    try {
      this.refresh();
      return at();
    } catch (error) {
      throw failureOf(error, 'to read');
    } finally {
      this.refresh();
    }
  }

  /** The next offset of every slot. */
  ends(): Float64Array {
    const bytes = read(this.#books, ENDS_KEY);
    if (bytes === undefined) throw damaged('the event log has lost the ends of its partitions');
    return new Float64Array(new Uint8Array(bytes).buffer);
  }

  putEnds(ends: Float64Array): void {
    write(this.#books, ENDS_KEY, Buffer.from(ends.buffer, ends.byteOffset, ends.byteLength));
  }

  /** Seals a chunk and puts it at the end of a partition. */
  append(slot: Slot, offset: number, chunk: Buffer, count: number, appendedAtMs: number): void {
    const key = this.#keyOf(offset);
    sealChunk(chunk, count, appendedAtMs, crc32(key, slot.seed));
    // True or false within a transaction, whatever its declaration says.
    const taken: unknown = this.#database(slot).putSync(key, chunk, APPEND);
    if (taken !== true) {
      throw damaged(`${nameOf(slot)} already holds records at offset ${offset}`);
    }
  }

  /**
   * Adds to `records` those from `from` on, as far as one chunk and `limits` go; returns the bytes added.
   *
   * @param from An offset below the partition's end.
   * @throws TidemarkError `LOG_DAMAGED` where the record is missing or its checksum fails.
   */
  read(slot: Slot, from: number, limits: Limits, records: LogRecord[]): number {
    const { first, chunk } = this.#chunkAround(slot, from);
    const count = countOf(chunk, crc32(this.#keyOf(first), slot.seed));
    if (from >= first + count) throw damaged(`${nameOf(slot)} has lost the record at offset ${from}`);
    return readRecords(chunk, first, from, limits, records);
  }

  /** Reads the last record of every partition. @throws TidemarkError `LOG_DAMAGED` where one is lost or broken. */
  checkEnds(): void {
    const ends = this.ends();
    for (const slot of this.layout.slots) {
      const last = (ends[slot.index] as number) - 1;
      if (last >= 0) this.read(slot, last, { records: 0, bytes: 0, atLeastOne: false }, []);
    }
    this.refresh();
  }

  /** What a group has committed. */
  committed(group: string): readonly Position[] {
    const noted = this.note<readonly CommittedPosition[]>(`committed/${group}`) ?? [];
    return noted.map((position) => ({ ...position, offset: BigInt(position.offset) }));
  }

  /** Notes what a group has committed beside what it had. Within a transaction. */
  commit(group: string, positions: readonly Position[]): void {
    const merged = new Map([...this.committed(group), ...positions].map((position) => [nameOf(position), position]));
    const noted: readonly CommittedPosition[] = [...merged.values()].map(({ topic, partition, offset, identity }) => {
      return { topic, partition, offset: String(offset), identity };
    });
    this.putNote(`committed/${group}`, noted);
  }

  /** A record of the books, JSON. @throws TidemarkError `LOG_DAMAGED`. */
  note<T>(key: string): T | undefined {
    const bytes = read(this.#books, Buffer.from(key));
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as T);
  }

  /** Writes a record of the books; undefined removes it. Within a transaction. */
  putNote(key: string, value: unknown): void {
    if (value === undefined) this.#books.removeSync(Buffer.from(key));
    else write(this.#books, Buffer.from(key), Buffer.from(JSON.stringify(value)));
  }

  async close(): Promise<void> {
    this.#leaveOpen?.();
    await this.#root.close();
  }

  #chunkAround(slot: Slot, offset: number): { readonly first: number; readonly chunk: Buffer } {
    const database = this.#database(slot);
    const key = this.#keyOf(offset);
    const chunk = database.getBinary(key);
    if (chunk !== undefined) return { first: offset, chunk };
    for (const entry of database.getRange({ start: key, reverse: true, limit: 1 })) {
      return { first: Buffer.from(entry.key).readUIntBE(2, 6), chunk: entry.value };
    }
    throw damaged(`${nameOf(slot)} has lost the record at offset ${offset}`);
  }

  #database(slot: Slot): Bytes {
    return this.#partitions[slot.index] as Bytes;
  }

  /** Of the 64 bits of a key, 48 can be used: 280 million million records a partition. */
  #keyOf(offset: number): Buffer {
    this.#key.writeUIntBE(offset, 2, 6);
    return this.#key;
  }

  #grow(topics: readonly Topic[]): void {
    const ends = new Float64Array(this.layout.slots.length);
    ends.set(this.ends());
    this.putEnds(ends);
    this.#putFormat(topics);
  }

  #putFormat(topics: readonly Topic[]): void {
    const format: Format = { format: FORMAT, topics };
    write(this.#books, FORMAT_KEY, Buffer.from(JSON.stringify(format)));
  }
}

/** @param path A file, or a folder that holds data.mdb. */
function openRoot(path: string, isFile: boolean): RootDatabase<Buffer, Uint8Array> {
  return open<Buffer, Uint8Array>({
    path,
    noSubdir: isFile,
    overlappingSync: false,
    mapSize: MAP_BYTES,
    maxDbs: MAX_SLOTS + 1,
    ...BINARY,
  });
}

function gateOf(root: RootDatabase<Buffer, Uint8Array>): Gate {
  const shared = root as unknown as SharesMemory;
  return new Gate(shared.getUserSharedBuffer(Buffer.from('gate'), new ArrayBuffer(GATE_BYTES)));
}

function transactOn<T>(root: RootDatabase<Buffer, Uint8Array>, gate: Gate, work: () => T): T {
  return gate.pass(() => root.transactionSync(work));
}

function readFormat(bytes: Buffer | undefined): Format {
  if (bytes === undefined) throw damaged('the event log has lost its format');
  const { format, topics } = JSON.parse(bytes.toString()) as Format;
  if (format > FORMAT) throw foreign(`holds an event log of format ${format}; this version knows up to ${FORMAT}`);
  return { format, topics };
}

function checkSize(topics: readonly Topic[]): void {
  const slots = topics.reduce((sum, { partitions }) => sum + partitions, 0);
  if (slots <= MAX_SLOTS) return;
  const message = `${slots} partitions are more than the embedded event log can have (${MAX_SLOTS})`;
  throw new TidemarkError('CONFIG_INVALID', message);
}

function foreign(message: string): TidemarkError {
  return new TidemarkError('LOG_FOREIGN', `the folder ${message}`);
}
