import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { endProcess } from '../../runtime/end-process.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { expectRoom, tryWriting } from '../../runtime/free-space.ts';
import type { LogRecord, Position } from '../event-log.ts';
import { recordCountOf, type Limits, readRecords, sealChunk } from './chunk.ts';
import type { Bytes, LmdbEnvironment } from './environment.ts';
import { damaged, failureOf } from './errors.ts';
import type { Layout, LogPartition } from './layout.ts';
import { nameOf } from '../partition.ts';
import { endsIn, type OpenedLog, openLog, putEnds, readMetadata, writeMetadata } from './open-log.ts';

/** A position as JSON can hold it. */
interface CommittedPosition extends Omit<Position, 'offset'> {
  readonly offset: string;
}

const APPEND = { append: true };

// A value over half a page gets pages of its own, the last one half empty on average, and each tree copies the path to it:
// at most twice the batch, plus some hundred pages that the reserve covers.
const PAGES_PER_BATCH = 2;
/** Size of the trial write that shows whether the disk accepts data, besides as much as the batch. */
const TRIAL_BYTES = 2 ** 20;
/** Failed writes in a row, each in a reopened environment. Past this, the cause is not a lack of space. */
const MAX_FAILED_WRITES = 3;
const ABANDONED_CHECK_MS = 100;
/** Failed attempts to reopen: about ten seconds. */
const MAX_FAILED_REOPENS = 100;

/**
 * The LMDB environment of a log, opened by one thread. A database `TOPIC/PARTITION` for every partition maps the first
 * offset of a chunk (u64, big-endian) to the chunk. The database `books` holds the metadata: the format, the next offset
 * of every partition and the groups' committed positions, each behind a CRC-32.
 *
 * Commits flush before they return: `overlappingSync` is off. As strace shows: the pages by writev, fdatasync, then the
 * meta page that makes them valid, through a descriptor opened with O_DSYNC.
 *
 * LMDB must never run out of disk space, so nothing is written that would use the reserve (runtime/free-space.ts). If a
 * write fails all the same (a quota, a broken disk), every thread closes the environment and reopens it. Nothing is
 * written meanwhile.
 */
export class LmdbStore {
  readonly layout: Layout;
  readonly #folder: string;
  /** Undefined while it is being reopened. */
  #opened: OpenedLog | undefined;
  readonly #abandonedCheck: NodeJS.Timeout;
  #reopening: Promise<void> | undefined;
  /** Failed writes since the last one that succeeded. */
  #failures = 0;
  /** Failed attempts to reopen, in a row. */
  #refusals = 0;
  readonly #key = Buffer.alloc(8);

  private constructor(folder: string, opened: OpenedLog) {
    this.#folder = folder;
    this.#opened = opened;
    this.layout = opened.layout;
    this.#abandonedCheck = setInterval(() => this.#followOthers(), ABANDONED_CHECK_MS).unref();
  }

  static open(folder: string, wanted: readonly string[], partitions: number | undefined): LmdbStore {
    return new LmdbStore(folder, openLog(folder, wanted, partitions));
  }

  /**
   * Runs `work` as one transaction, which is on disk when this returns. If it throws, nothing is written.
   *
   * @param bytes Size of the records that it appends.
   * @throws TidemarkError `LOG_UNAVAILABLE` where the disk is full, or after a write that failed.
   */
  transact<T>(work: () => T, bytes = 0): T {
    const { environment } = this.#current();
    if (environment.isAbandoned) throw reopening();
    if (this.#failures > 0) this.#tryWriting(bytes);
    try {
      const result = environment.transact(() => {
        const done = work();
        // Right before the write, so that another program can fill the disk only during the commit itself.
        this.#expectRoom(bytes);
        return done;
      });
      this.#failures = 0;
      return result;
    } catch (error) {
      if (isFailedWrite(error)) this.#giveUp(environment, error);
      throw error;
    }
  }

  refresh(): void {
    this.#opened?.environment.refresh();
  }

  /** Runs `read` on the latest committed state. @throws TidemarkError `LOG_DAMAGED`, `LOG_UNAVAILABLE`. */
  withLatest<T>(read: () => T): T {
    try {
      this.refresh();
      return read();
    } catch (error) {
      throw failureOf(error, 'to read');
    } finally {
      this.refresh();
    }
  }

  /** The next offset of every partition. */
  ends(): Float64Array {
    return endsIn(this.#current().metadata);
  }

  putEnds(ends: Float64Array): void {
    putEnds(this.#current().metadata, ends);
  }

  /** Seals a chunk and appends it to a partition. Within a transaction. */
  append(partition: LogPartition, offset: number, chunk: Buffer, count: number, appendedAtMs: number): void {
    const key = this.#keyOf(offset);
    sealChunk(chunk, count, appendedAtMs, crc32(key, partition.seed));
    // Within a transaction it returns true or false, unlike its declared type.
    const isStored: unknown = this.#database(partition).putSync(key, chunk, APPEND);
    if (isStored !== true) {
      throw damaged(`${nameOf(partition)} already holds records at offset ${offset}`);
    }
  }

  /**
   * Adds the records from offset `from` on to `records`, within one chunk and `limits`. Returns the bytes added.
   *
   * @param from An offset below the partition's end.
   * @throws TidemarkError `LOG_DAMAGED` where the record is missing or its checksum fails.
   */
  read(partition: LogPartition, from: number, limits: Limits, records: LogRecord[]): number {
    const { first, chunk } = this.#chunkAround(partition, from);
    const count = recordCountOf(chunk, crc32(this.#keyOf(first), partition.seed));
    // If LMDB cannot look up the key, lmdb returns the last entry (cursor.cpp).
    if (from < first || from >= first + count)
      throw damaged(`${nameOf(partition)} has lost the record at offset ${from}`);
    return readRecords(chunk, first, from, limits, records);
  }

  /** Reads the last record of every partition. @throws TidemarkError `LOG_DAMAGED` where one is lost or broken. */
  checkEnds(): void {
    const ends = this.ends();
    for (const partition of this.layout.partitions) {
      const last = (ends[partition.index] as number) - 1;
      if (last >= 0) this.read(partition, last, { records: 0, bytes: 0, atLeastOne: false }, []);
    }
    this.refresh();
  }

  committed(group: string): readonly Position[] {
    const noted = this.note<readonly CommittedPosition[]>(`committed/${group}`) ?? [];
    return noted.map((position) => ({ ...position, offset: BigInt(position.offset) }));
  }

  /** Merges positions into what a group has committed. Within a transaction. */
  commit(group: string, positions: readonly Position[]): void {
    const merged = new Map([...this.committed(group), ...positions].map((position) => [nameOf(position), position]));
    const noted: readonly CommittedPosition[] = [...merged.values()].map(({ topic, partition, offset, identity }) => {
      return { topic, partition, offset: String(offset), identity };
    });
    this.putNote(`committed/${group}`, noted);
  }

  /** A value of the metadata, stored as JSON. @throws TidemarkError `LOG_DAMAGED`. */
  note<T>(key: string): T | undefined {
    const bytes = readMetadata(this.#current().metadata, Buffer.from(key));
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as T);
  }

  /** Writes a value of the metadata. Within a transaction. */
  putNote(key: string, value: unknown): void {
    writeMetadata(this.#current().metadata, Buffer.from(key), Buffer.from(JSON.stringify(value)));
  }

  async close(): Promise<void> {
    clearInterval(this.#abandonedCheck);
    await this.#reopening;
    await this.#opened?.environment.close();
  }

  #current(): OpenedLog {
    if (this.#opened === undefined) throw reopening();
    return this.#opened;
  }

  #expectRoom(bytes: number): void {
    expectRoom(this.#folder, 'LOG_UNAVAILABLE', PAGES_PER_BATCH * bytes);
  }

  /** The reported free space may be more than this process may use: a quota. */
  #tryWriting(bytes: number): void {
    this.#expectRoom(bytes);
    // Named like a new log, so that the next start removes it after a crash.
    const file = join(this.#folder, `new-${randomBytes(8).toString('hex')}.mdb`);
    tryWriting(file, PAGES_PER_BATCH * bytes + TRIAL_BYTES);
  }

  #giveUp(environment: LmdbEnvironment, error: Error): void {
    environment.abandon();
    this.#failures++;
    const what = `the event log in ${this.#folder} cannot be written (${error.message})`;
    if (hasOverrun(error)) endProcess(`${what}, and LMDB has damaged the memory of this process`);
    if (this.#failures >= MAX_FAILED_WRITES) endProcess(`${what}, ${this.#failures} times in a row`);
  }

  /** If a thread has abandoned the environment, this one closes it too, and reopens it once all have closed it. */
  #followOthers(): void {
    if (this.#opened?.environment.isAbandoned === false) return;
    this.#reopening ??= this.#reopen()
      .catch((error: unknown) => this.#refused(error))
      .finally(() => (this.#reopening = undefined));
  }

  async #reopen(): Promise<void> {
    const before = this.#opened;
    this.#opened = undefined;
    await before?.environment.close();
    const opened = openLog(this.#folder, [], undefined);
    this.#refusals = 0;
    if (opened.environment.isAbandoned) await opened.environment.close();
    else this.#opened = opened;
  }

  /** The next check tries again. */
  #refused(error: unknown): void {
    if (++this.#refusals < MAX_FAILED_REOPENS) return;
    endProcess(`the event log in ${this.#folder} cannot be reopened (${String(error)})`);
  }

  #chunkAround(partition: LogPartition, offset: number): { readonly first: number; readonly chunk: Buffer } {
    const database = this.#database(partition);
    const key = this.#keyOf(offset);
    const chunk = database.getBinary(key);
    if (chunk !== undefined) return { first: offset, chunk };
    for (const entry of database.getRange({ start: key, reverse: true, limit: 1 })) {
      return { first: Buffer.from(entry.key).readUIntBE(2, 6), chunk: entry.value };
    }
    throw damaged(`${nameOf(partition)} has lost the record at offset ${offset}`);
  }

  #database(partition: LogPartition): Bytes {
    return this.#current().partitions[partition.index] as Bytes;
  }

  /** 48 of the 64 bits of a key are used: 281 trillion records a partition. */
  #keyOf(offset: number): Buffer {
    this.#key.writeUIntBE(offset, 2, 6);
    return this.#key;
  }
}

function reopening(): TidemarkError {
  return new TidemarkError('LOG_UNAVAILABLE', 'the event log is being reopened after a failed write');
}

/**
 * What a failed write of LMDB leaves behind. lmdb 3.5.6 (dependencies/lmdb/…/mdb.c, mdb_page_flush) describes a refused
 * write in a buffer of 100 bytes with sprintf: "Attempting to write page at position …, buffer sizes …". Two of the numbers
 * are uninitialized. If they are large, the text is longer than the buffer and overwrites the heap (seen: glibc's
 * `malloc(): invalid next size` after some dozens). A write that was cut short leaves no such text.
 */

/** Length of the buffer without its terminating zero. */
const NOTE_BYTES = 99;
const NOTE = /Attempting to write page.*/s;

/** Whether LMDB itself failed in a write transaction, in contrast to an error thrown by `work`. */
export function isFailedWrite(error: unknown): error is Error & { readonly code: number } {
  return (
    error instanceof Error && !(error instanceof TidemarkError) && 'code' in error && typeof error.code === 'number'
  );
}

/** Whether memory was damaged, so that the process must end. Pure. */
export function hasOverrun({ message }: Error): boolean {
  return (NOTE.exec(message)?.[0].length ?? 0) > NOTE_BYTES;
}
