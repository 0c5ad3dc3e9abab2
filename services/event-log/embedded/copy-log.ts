/** Copies a log from one store into another, chunk by chunk: their bytes are the same in every store. */
import { setImmediate as otherWork } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LogRecord } from '../event-log.ts';
import { identityOf } from '../identity.ts';
import { nameOf } from '../partition.ts';
import { type Limits, readRecords } from './chunk.ts';
import { damaged } from './errors.ts';
import type { Layout, LogPartition } from './layout.ts';
import type { LogStore } from './store.ts';

/** A chunk whose checksum fits. */
export interface StoredChunk {
  readonly partition: LogPartition;
  /** Offset of its first record. */
  readonly first: number;
  readonly count: number;
  readonly appendedAtMs: number;
  readonly bytes: Buffer;
}

/** A log to be copied. Nobody writes to it meanwhile. */
export interface StoredLog {
  readonly layout: Layout;
  /** The next offset of every partition, by the partition's index. */
  readonly ends: Float64Array;
  /** All values that are stored under a name. */
  readonly notes: ReadonlyMap<string, unknown>;
  /**
   * The chunks from the one that begins at offset `from` on, until they have about this number of bytes.
   *
   * @param from Below the partition's end.
   * @throws TidemarkError `LOG_DAMAGED` where a record is lost or a checksum fails.
   */
  chunks(partition: LogPartition, from: number, bytes: number): readonly StoredChunk[];
  /** The last chunk of a partition that has records. @throws TidemarkError `LOG_DAMAGED`. */
  lastChunk(partition: LogPartition): StoredChunk;
  close(): Promise<void>;
}

/** The bytes of one commit. */
const COMMIT_BYTES = 4 * 2 ** 20;
/** What is read ahead, of all partitions. */
const READ_AHEAD_BYTES = 64 * 2 ** 20;
/** Chunks of all partitions whose times differ by less may change their order, in which the beginning is cut. */
const PERIOD_MS = 60_000;

/**
 * Appends all chunks of a log to an empty one of the same layout, the oldest first, and its notes.
 *
 * @param copied Called after each commit with its number of records.
 * @throws TidemarkError `LOG_DAMAGED`, `LOG_UNAVAILABLE`.
 */
export async function copyLog(from: StoredLog, to: LogStore, copied: (records: number) => void): Promise<void> {
  const ahead = Math.ceil(READ_AHEAD_BYTES / from.layout.partitions.length);
  const cursors = from.layout.partitions.map((partition) => new ChunkCursor(from, partition, ahead));
  let commit: StoredChunk[] = [];
  let bytes = 0;
  for (let left = unread(cursors); left.length > 0; left = unread(cursors)) {
    const until = PERIOD_MS + left.reduce((least, cursor) => Math.min(least, cursor.next.appendedAtMs), Infinity);
    for (const cursor of left) {
      while (!cursor.isAtEnd && cursor.next.appendedAtMs <= until) {
        bytes += cursor.next.bytes.length;
        commit.push(cursor.advance());
        if (bytes < COMMIT_BYTES) continue;
        copied(append(to, commit));
        [commit, bytes] = [[], 0];
        await otherWork();
      }
    }
  }
  copied(append(to, commit));
  to.transact((transaction) => {
    for (const [name, value] of from.notes) transaction.putNote(name, value);
  }, 0);
}

/** Returns the number of records. */
function append(to: LogStore, chunks: readonly StoredChunk[]): number {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
  to.transact((transaction) => {
    for (const { partition, first, count, appendedAtMs, bytes: chunk } of chunks) {
      const checksum = chunk.readUInt32LE();
      const offset = transaction.append(partition, chunk, count, appendedAtMs);
      if (offset !== first || chunk.readUInt32LE() !== checksum) {
        throw differs(`${nameOf(partition)} has other records at offset ${first}`);
      }
    }
  }, bytes);
  return chunks.reduce((sum, { count }) => sum + count, 0);
}

function unread(cursors: readonly ChunkCursor[]): readonly ChunkCursor[] {
  return cursors.filter((cursor) => !cursor.isAtEnd);
}

/** Reads the chunks of a partition in order. */
class ChunkCursor {
  readonly #log: StoredLog;
  readonly #partition: LogPartition;
  readonly #aheadBytes: number;
  #chunks: readonly StoredChunk[] = [];
  #index = 0;
  #offset = 0;

  constructor(log: StoredLog, partition: LogPartition, aheadBytes: number) {
    this.#log = log;
    this.#partition = partition;
    this.#aheadBytes = aheadBytes;
  }

  get isAtEnd(): boolean {
    return this.#offset >= (this.#log.ends[this.#partition.index] as number);
  }

  /** The chunk that is read next. Not at the end. */
  get next(): StoredChunk {
    if (this.#index === this.#chunks.length) {
      this.#chunks = this.#log.chunks(this.#partition, this.#offset, this.#aheadBytes);
      this.#index = 0;
    }
    return this.#chunks[this.#index] as StoredChunk;
  }

  advance(): StoredChunk {
    const chunk = this.next;
    this.#index++;
    this.#offset = chunk.first + chunk.count;
    return chunk;
  }
}

/**
 * Reads a copy back and compares it with the log: the ends, the notes, and of each partition the number of records and the
 * identity of the last one.
 *
 * @throws TidemarkError `LOG_DAMAGED` where they differ.
 */
export async function compareLogs(log: StoredLog, copy: LogStore): Promise<void> {
  const [beginnings, ends] = copy.withLatest(() => [copy.beginnings(), copy.ends()]);
  if (!isDeepStrictEqual(copy.layout.topics, log.layout.topics)) throw differs('the topics are others');
  if (beginnings.some((offset) => offset > 0)) throw differs('the beginning is lost');
  if (!isDeepStrictEqual(ends, log.ends)) throw differs('the ends are others');
  for (const [name, value] of log.notes) {
    if (!isDeepStrictEqual(copy.note(name), value)) throw differs(`${name} has another value`);
  }
  for (const partition of log.layout.partitions) {
    const end = log.ends[partition.index] as number;
    if (end === 0) continue;
    const { count, last } = await readBack(copy, partition, end);
    if (count !== end) throw differs(`${nameOf(partition)} has ${count} records in place of ${end}`);
    if (last === undefined || identityOf(last) !== identityOf(lastRecord(log.lastChunk(partition)))) {
      throw differs(`${nameOf(partition)} has another last record`);
    }
  }
}

/** The number of records in a partition, each of which is read, and the last one. */
async function readBack(
  copy: LogStore,
  partition: LogPartition,
  end: number,
): Promise<{ readonly count: number; readonly last: LogRecord | undefined }> {
  const limits: Limits = { records: Infinity, bytes: Infinity, atLeastOne: true, end };
  let count = 0;
  let last: LogRecord | undefined;
  for (let next = 0; next < end;) {
    const until = performance.now() + 20;
    while (next < end && performance.now() < until) {
      const records: LogRecord[] = [];
      ({ next } = copy.withLatest(() => copy.read(partition, next, limits, records)));
      count += records.length;
      last = records.at(-1) ?? last;
    }
    await otherWork();
  }
  return { count, last };
}

function lastRecord({ bytes, first, count }: StoredChunk): LogRecord {
  const records: LogRecord[] = [];
  const end = first + count;
  readRecords(bytes, first, end - 1, { records: 1, bytes: Infinity, atLeastOne: true, end }, records);
  return records[0] as LogRecord;
}

function differs(how: string): Error {
  return damaged(`the copy differs from the log: ${how}`);
}
