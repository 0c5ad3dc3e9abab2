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

// A value over half a page gets pages of its own, the last half empty on average, and of each tree the way to it is copied:
// at most twice the batch, and some hundred pages that the reserve covers.
const PAGES_PER_BATCH = 2;
/** What is written to see whether the disk takes it, besides as much as the batch. */
const TRIAL_BYTES = 2 ** 20;
/** Failed writes in a row, each in an environment opened anew: past this something else is wrong than the disk's room. */
const MOST_FAILURES = 3;
const ABANDONED_CHECK_MS = 100;
/** Of opening it anew: some ten seconds. */
const MOST_REFUSALS = 100;

/**
 * The LMDB environment of a log, opened by one thread. A database `TOPIC/PARTITION` for every partition maps the first
 * offset of a chunk (u64, big-endian) to the chunk; `books` holds the format, the next offset of every partition, the
 * groups' committed positions, each behind a CRC-32.
 *
 * Commits flush before they return: `overlappingSync` is off. Seen with strace: the pages by writev, fdatasync, then the
 * page that makes them the truth through a descriptor opened with O_DSYNC.
 *
 * LMDB must not meet the end of the disk: nothing is written that would take from the reserve (runtime/free-space.ts).
 * After a write that failed all the same (a quota, a broken disk) every thread closes the environment and opens it anew;
 * nothing is written meanwhile.
 */
export class LmdbStore {
  readonly layout: Layout;
  readonly #folder: string;
  /** Undefined while it is being opened anew. */
  #opened: OpenedLog | undefined;
  readonly #watch: NodeJS.Timeout;
  #reopening: Promise<void> | undefined;
  /** Writes that failed, since one last succeeded. */
  #failures = 0;
  /** Attempts to open it anew that failed in a row. */
  #refusals = 0;
  readonly #key = Buffer.alloc(8);

  private constructor(folder: string, opened: OpenedLog) {
    this.#folder = folder;
    this.#opened = opened;
    this.layout = opened.layout;
    this.#watch = setInterval(() => this.#followOthers(), ABANDONED_CHECK_MS).unref();
  }

  /** As `openLog`. */
  static open(folder: string, wanted: readonly string[], partitions: number | undefined): LmdbStore {
    return new LmdbStore(folder, openLog(folder, wanted, partitions));
  }

  /**
   * Runs `work` as one transaction, on disk when this returns. What throws in it leaves no trace.
   *
   * @param bytes Of the records that it appends.
   * @throws TidemarkError `LOG_UNAVAILABLE` where the disk is full, or after a write that failed.
   */
  transact<T>(work: () => T, bytes = 0): T {
    const { environment } = this.#current();
    if (environment.isAbandoned) throw beingOpenedAnew();
    this.#expectRoom(bytes);
    // What the system says of free space may be more than it gives us: a quota.
    if (this.#failures > 0) tryWriting(this.#trialFile(), PAGES_PER_BATCH * bytes + TRIAL_BYTES);
    try {
      const result = environment.transact(() => {
        const done = work();
        // Again, right before it is written: whoever fills the disk has only the commit's own time.
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

  /** Lets the next read see what others have committed, and the pages read so far be used again. */
  refresh(): void {
    this.#opened?.environment.refresh();
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

  /** The next offset of every partition. */
  ends(): Float64Array {
    return endsIn(this.#current().metadata);
  }

  putEnds(ends: Float64Array): void {
    putEnds(this.#current().metadata, ends);
  }

  /** Seals a chunk and puts it at the end of a partition. */
  append(partition: LogPartition, offset: number, chunk: Buffer, count: number, appendedAtMs: number): void {
    const key = this.#keyOf(offset);
    sealChunk(chunk, count, appendedAtMs, crc32(key, partition.seed));
    // True or false within a transaction, whatever its declaration says.
    const taken: unknown = this.#database(partition).putSync(key, chunk, APPEND);
    if (taken !== true) {
      throw damaged(`${nameOf(partition)} already holds records at offset ${offset}`);
    }
  }

  /**
   * Adds to `records` those from `from` on, as far as one chunk and `limits` go; returns the bytes added.
   *
   * @param from An offset below the partition's end.
   * @throws TidemarkError `LOG_DAMAGED` where the record is missing or its checksum fails.
   */
  read(partition: LogPartition, from: number, limits: Limits, records: LogRecord[]): number {
    const { first, chunk } = this.#chunkAround(partition, from);
    const count = recordCountOf(chunk, crc32(this.#keyOf(first), partition.seed));
    // Where the key cannot be looked up, lmdb returns the last entry (cursor.cpp).
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
    const bytes = readMetadata(this.#current().metadata, Buffer.from(key));
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as T);
  }

  /** Writes a record of the books. Within a transaction. */
  putNote(key: string, value: unknown): void {
    writeMetadata(this.#current().metadata, Buffer.from(key), Buffer.from(JSON.stringify(value)));
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#reopening;
    await this.#opened?.environment.close();
  }

  #current(): OpenedLog {
    if (this.#opened === undefined) throw beingOpenedAnew();
    return this.#opened;
  }

  #expectRoom(bytes: number): void {
    expectRoom(this.#folder, 'LOG_UNAVAILABLE', PAGES_PER_BATCH * bytes);
  }

  /** Named like a log in the making: where a crash leaves it, the next start removes it. */
  #trialFile(): string {
    return join(this.#folder, `new-${randomBytes(8).toString('hex')}.mdb`);
  }

  #giveUp(environment: LmdbEnvironment, error: Error): void {
    environment.abandon();
    this.#failures++;
    const what = `the event log in ${this.#folder} cannot be written (${error.message})`;
    if (hasOverrun(error)) endProcess(`${what}, and LMDB has damaged the memory of this process`);
    if (this.#failures >= MOST_FAILURES) endProcess(`${what}, ${this.#failures} times in a row`);
  }

  /** Where a thread has abandoned the environment this one lets go of it too, and opens it anew once all have. */
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

  /** Tried again at the next look. */
  #refused(error: unknown): void {
    if (++this.#refusals < MOST_REFUSALS) return;
    endProcess(`the event log in ${this.#folder} does not open again (${String(error)})`);
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

  /** Of the 64 bits of a key, 48 can be used: 280 million million records a partition. */
  #keyOf(offset: number): Buffer {
    this.#key.writeUIntBE(offset, 2, 6);
    return this.#key;
  }
}

function beingOpenedAnew(): TidemarkError {
  return new TidemarkError('LOG_UNAVAILABLE', 'the event log is being opened anew after a write that failed');
}

/**
 * What a failed write of LMDB leaves behind. lmdb 3.5.6 (dependencies/lmdb/…/mdb.c, mdb_page_flush) notes a refused write in
 * a buffer of 100 bytes with sprintf: "Attempting to write page at position …, buffer sizes …". Two of its numbers are
 * whatever the stack held, and with large ones the text is longer than the buffer: the heap is damaged (seen: glibc's
 * `malloc(): invalid next size` after some dozens). A write that was cut short leaves no such note.
 */

/** Of the buffer, without the zero at its end. */
const NOTE_BYTES = 99;
const NOTE = /Attempting to write page.*/s;

/** Whether LMDB itself failed in a transaction that writes: what `work` throws by itself is none of these. */
export function isFailedWrite(error: unknown): error is Error & { readonly code: number } {
  return (
    error instanceof Error && !(error instanceof TidemarkError) && 'code' in error && typeof error.code === 'number'
  );
}

/** Whether memory was damaged: nothing may run on it. Pure. */
export function hasOverrun({ message }: Error): boolean {
  return (NOTE.exec(message)?.[0].length ?? 0) > NOTE_BYTES;
}
