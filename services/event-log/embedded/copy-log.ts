/** Copies a log from one store into another, chunk by chunk: their bytes are the same in every store. */
import { setImmediate as otherWork } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { TidemarkError } from '../../runtime/errors.ts';
import type { LogRecord } from '../event-log.ts';
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

/** A log to be copied. Nobody may write to it meanwhile. */
export interface StoredLog {
  readonly layout: Layout;
  /** The next offset of every partition, by the partition's index. */
  readonly ends: Float64Array;
  /** All values that are stored under a name. */
  readonly notes: ReadonlyMap<string, unknown>;
  /** All chunks of a partition, in order. @throws TidemarkError `LOG_DAMAGED` where a record is lost or a checksum fails. */
  chunks(partition: LogPartition): Iterable<StoredChunk>;
  /** Whether somebody has written to it since it was opened. */
  hasChanged(): boolean;
  close(): void;
}

/** The bytes of one commit. */
const COMMIT_BYTES = 4 * 2 ** 20;
/** Chunks of all partitions whose times differ by less may change their order, in which the beginning is cut. */
const PERIOD_MS = 60_000;
const LONGEST_WORK_MS = 20;

/**
 * Appends all chunks of a log to an empty one of the same layout, the oldest first, and its notes.
 *
 * @param copied Called after each commit with its number of records. What it throws ends the copying.
 * @throws TidemarkError `LOG_DAMAGED`, `LOG_UNAVAILABLE`.
 */
export async function copyLog(from: StoredLog, to: LogStore, copied: (records: number) => void): Promise<void> {
  const cursors = from.layout.partitions.map((partition) => new ChunkCursor(from.chunks(partition)));
  let commit: StoredChunk[] = [];
  let bytes = 0;
  for (let left = unread(cursors); left.length > 0; left = unread(left)) {
    const until = PERIOD_MS + Math.min(...left.map(({ next }) => next?.appendedAtMs ?? Infinity));
    for (const cursor of left) {
      for (let { next } = cursor; next !== undefined && next.appendedAtMs <= until; { next } = cursor) {
        bytes += next.bytes.length;
        commit.push(next);
        cursor.advance();
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
  return cursors.filter(({ next }) => next !== undefined);
}

/** Reads the chunks of a partition in order. */
class ChunkCursor {
  /** Undefined at the end. */
  next: StoredChunk | undefined;
  readonly #chunks: Iterator<StoredChunk>;

  constructor(chunks: Iterable<StoredChunk>) {
    this.#chunks = chunks[Symbol.iterator]();
    this.advance();
  }

  advance(): void {
    const next = this.#chunks.next();
    this.next = next.done === true ? undefined : next.value;
  }
}

/**
 * Reads a copy back and compares it with the log: the ends, the notes, and every record.
 *
 * @param compared Called every few milliseconds. What it throws ends the comparison.
 * @throws TidemarkError `LOG_DAMAGED` where they differ; `LOG_UNAVAILABLE` where somebody has written to the log.
 */
export async function compareLogs(log: StoredLog, copy: LogStore, compared: () => void): Promise<void> {
  const [beginnings, ends] = copy.withLatest(() => [copy.beginnings(), copy.ends()]);
  if (!isDeepStrictEqual(copy.layout.topics, log.layout.topics)) throw differs('the topics are others');
  if (beginnings.some((offset) => offset > 0)) throw differs('the beginning is lost');
  if (!isDeepStrictEqual(ends, log.ends)) throw differs('the ends are others');
  for (const [name, value] of log.notes) {
    if (!isDeepStrictEqual(copy.note(name), value)) throw differs(`${name} has another value`);
  }
  let workedSince = performance.now();
  for (const partition of log.layout.partitions) {
    for (const chunk of log.chunks(partition)) {
      compareChunk(chunk, copy);
      if (performance.now() < workedSince + LONGEST_WORK_MS) continue;
      await otherWork();
      compared();
      workedSince = performance.now();
    }
  }
  if (log.hasChanged()) throw new TidemarkError('LOG_UNAVAILABLE', 'another process has written to it meanwhile');
}

function compareChunk({ partition, first, count, bytes }: StoredChunk, copy: LogStore): void {
  const limits: Limits = { records: Infinity, bytes: Infinity, atLeastOne: true, end: first + count };
  const records: LogRecord[] = [];
  const copied: LogRecord[] = [];
  readRecords(bytes, first, first, limits, records);
  copy.withLatest(() => copy.read(partition, first, limits, copied));
  if (!isDeepStrictEqual(copied, records)) throw differs(`${nameOf(partition)} has other records at offset ${first}`);
}

function differs(how: string): Error {
  return damaged(`the copy differs from the log: ${how}`);
}
