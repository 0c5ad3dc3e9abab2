import { join, resolve } from 'node:path';
import type { EventLogOptions, LogRecord } from '../../event-log.ts';
import { type ChunkRead, type Limits, readRecords } from './chunk.ts';
import { failureOf } from './errors.ts';
import type { Layout, LogPartition } from './layout.ts';
import { ChunkReader } from './chunk-reader.ts';
import { cutSegments } from './cut.ts';
import { type FileOperations, NODE_FILES } from './files.ts';
import { CONVERTED_FILE, lockForProcess, prepareFolder, type ProcessLock } from './folder.ts';
import { type LogParts, LogView } from './log-view.ts';
import { createTopics, recover } from './recovery.ts';
import { blanksOf, type ErasedRecord, finishRedo, overwrite } from './erasure.ts';
import { SegmentSet } from './segment-set.ts';
import { SegmentTransaction } from './segment-transaction.ts';
import { SegmentWriter, type WritableParts } from './segment-writer.ts';
import { segmentBytesOfProcess, type SharedLog, shareLog } from './shared-log.ts';

export interface SegmentStoreOptions extends EventLogOptions {
  readonly folder: string;
  /** For tests: another disk, and what several stores share on it. */
  readonly files?: FileOperations;
  readonly shared?: SharedLog;
  readonly segmentBytes?: number | undefined;
}

export interface WholeRead extends ChunkRead {
  /** The number of offsets that were passed. */
  readonly lost: number;
  /** The name of the segment. */
  readonly segment: string;
}

/**
 * A log in segments: files to which frames are appended (frame.ts). A commit is one frame with the chunks of all its
 * partitions, written and flushed before it returns; then the file `head` says that it was, and all threads of the process
 * see it. A full segment ends with an index of its chunks, and the next begins with what the log is without those before
 * it. Bytes that were flushed change only where records are erased.
 *
 * The log's own thread has it open to read, and its writer thread a second time to write. Several threads of the process
 * may have one log open. Every call blocks its thread.
 */
export class SegmentStore {
  /** The topics and partitions that it had when it was opened. */
  readonly layout: Layout;
  readonly #folder: string;
  readonly #parts: WritableParts;
  readonly #chunks: ChunkReader;
  readonly #lock: ProcessLock;
  /** What was overwritten or cut in the log when this thread last looked. */
  #overwrites: number;

  private constructor(folder: string, parts: WritableParts, lock: ProcessLock) {
    this.#folder = folder;
    this.#parts = parts;
    this.#chunks = new ChunkReader(parts);
    this.#lock = lock;
    this.#overwrites = parts.shared.overwrites;
    this.layout = parts.view.layout;
  }

  /**
   * Opens the log in a folder. Where the folder is absent or empty, it creates a log there. It also creates the topics that
   * the log lacks.
   *
   * @throws TidemarkError `FOLDER_IN_USE` where another process has it open; `CONFIG_INVALID` where a topic has another
   *   number of partitions or the folder cannot be used; `LOG_FOREIGN` where the folder holds anything else, which is left
   *   unchanged; `LOG_DAMAGED`, `LOG_UNAVAILABLE`.
   */
  static open(options: SegmentStoreOptions): SegmentStore {
    try {
      return SegmentStore.#open(options);
    } catch (error) {
      throw failureOf(error, 'to open');
    }
  }

  static #open(options: SegmentStoreOptions): SegmentStore {
    const { topics, partitions, files = NODE_FILES } = options;
    const folder = resolve(options.folder);
    prepareFolder(files, folder);
    const shared = options.shared ?? shareLog(folder);
    const parts = makeParts({ files, folder, shared }, options.segmentBytes ?? segmentBytesOfProcess());
    return shared.exclusively(() => {
      const lock = lockForProcess(shared, files === NODE_FILES ? folder : undefined);
      try {
        if (shared.stores === 0) recover(parts, topics, partitions);
        createTopics(parts, topics, partitions);
        shared.stores++;
        return new SegmentStore(folder, parts, lock);
      } catch (error) {
        closeParts(parts);
        if (shared.stores === 0) lock.release();
        throw error;
      }
    });
  }

  /**
   * Runs `read` on the latest state that is durable. Nothing changes within it, but for records that are erased.
   *
   * @throws TidemarkError `LOG_DAMAGED`; `LOG_REPLACED`; `LOG_UNAVAILABLE`, retryable.
   */
  withLatest<T>(read: () => T): T {
    try {
      this.#follow();
      return read();
    } catch (error) {
      throw failureOf(error, 'to read');
    }
  }

  /** The next offset of every partition, by the partition's index. The array is the caller's. */
  ends(): Float64Array {
    return Float64Array.from(this.#parts.view.ends);
  }

  /** The offset of the first record of every partition that has not been cut; the end where it has no record. */
  beginnings(): Float64Array {
    return this.#chunks.beginnings();
  }

  /** Bytes of all segments. */
  get bytes(): number {
    const { shared, segments } = this.#parts;
    const { segment, end } = shared.flushed;
    return segments.bytesBetween(shared.first, segment) + end;
  }

  /** The value that was stored under a name. */
  note<T>(name: string): T | undefined {
    return this.#parts.view.notes.get(name) as T | undefined;
  }

  /**
   * Adds the records from offset `from` on to `records`, within `limits`. They are views of memory that nobody overwrites.
   * One that was erased is blank (`isBlank`); offsets without a record are passed. Within `withLatest`.
   *
   * @param from An offset below the partition's end.
   * @throws TidemarkError `LOG_DAMAGED` where a record is lost or its checksum fails; `LOG_REPLACED` where it was cut.
   */
  read(partition: LogPartition, from: number, limits: Limits, records: LogRecord[]): ChunkRead {
    let [next, bytes] = [from, 0];
    while (next < limits.end && records.length < limits.records) {
      const { chunk, first } = this.#chunks.read(partition, next);
      const read = readRecords(chunk, first, next, { ...limits, bytes: limits.bytes - bytes }, records);
      bytes += read.bytes;
      if (read.next === next) break;
      next = read.next;
    }
    return { next, bytes };
  }

  /**
   * As `read`, but passes what is lost or what the disk does not give: reads within one segment, the first that has a whole
   * record from offset `from` on. Undefined where nothing whole follows.
   */
  readWhole(partition: LogPartition, from: number, limits: Limits, records: LogRecord[]): WholeRead | undefined {
    let read: WholeRead | undefined;
    for (const { file, chunk, first, count } of this.#chunks.readWhole(partition, from)) {
      if (read !== undefined && read.segment !== file.name) break;
      const { next: start, bytes: before, lost } = read ?? { next: from, bytes: 0, lost: 0 };
      const skipped = Math.max(0, first - start);
      const left = { ...limits, bytes: limits.bytes - before };
      const { next, bytes } = readRecords(chunk, first, start, left, records);
      read = { next: Math.max(next, first), bytes: before + bytes, lost: lost + skipped, segment: file.name };
      if (next < first + count) break;
    }
    return read;
  }

  /**
   * Runs `work` as one commit, which is flushed to the disk when this returns. If it throws, the log stays as it was, and
   * later commits are possible. Commits of all threads come one after the other.
   *
   * @throws what `work` throws; TidemarkError `LOG_UNAVAILABLE`, retryable, where the disk is full, or a write or flush
   *   fails; `LOG_DAMAGED`.
   */
  transact<T>(work: (transaction: SegmentTransaction) => T): T {
    const { files, view, writer } = this.#parts;
    return this.#change(() => {
      const transaction = new SegmentTransaction(view);
      const result = work(transaction);
      if (transaction.isEmpty) return result;
      // Right before the write, so that another program can fill the disk only during the commit itself.
      files.expectRoom(this.#folder, transaction.bytes);
      writer.commit(transaction.parts(), transaction.chunks);
      return result;
    });
  }

  /**
   * To be called where a thread that had the log open has ended, perhaps in the middle of a commit, so that it keeps no
   * other thread waiting.
   *
   * @param threadId As `worker_threads` numbers it.
   */
  threadEnded(threadId: number): void {
    this.#parts.shared.threadEnded(threadId);
  }

  /**
   * Erases records: their bytes are overwritten on the disk, and they are blank from then on. A blank record keeps its
   * offset, the time of its chunk and the space that it took. Either all of them are blank when this returns, or, if
   * it throws or the process dies, they are made blank at the latest when the log is next opened; then none is blank where
   * the request itself was not yet durable. Returns the number of records that were not blank before.
   *
   * @throws TidemarkError `LOG_DAMAGED` where one of the records is lost, `LOG_REPLACED` where it was cut; nothing is
   *   erased then. `LOG_UNAVAILABLE`, retryable.
   */
  erase(records: readonly ErasedRecord[]): number {
    return this.#change(() => {
      this.#parts.files.remove(join(this.#folder, CONVERTED_FILE));
      finishRedo(this.#parts);
      const { overwrites, count } = blanksOf(records, (partition, offset) => this.#chunks.read(partition, offset));
      if (count > 0) overwrite(this.#parts, overwrites);
      return count;
    });
  }

  /**
   * Deletes records from the beginning, and gives their space back: only whole files, whose records all lie below the
   * given offset of their partition, so some of the records may stay. Where all records of the log lie below, none stays.
   * `beginnings()` says which; offsets, ends and notes stay as they are. A crash in between leaves the log cut. Returns
   * whether any was deleted.
   *
   * @param below An offset for every partition, by the partition's index. One below its beginning keeps what is left of it.
   * @param most Files to be deleted by this call, unless their beginnings are damaged.
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable.
   */
  cut(below: Float64Array, most = Infinity): boolean {
    return this.#change(() => cutSegments(this.#parts, this.#chunks, below, most));
  }

  async close(): Promise<void> {
    const { shared, writer } = this.#parts;
    shared.exclusively(() => {
      shared.stores--;
      try {
        if (shared.stores === 0) writer.flushHead();
      } catch {
        // It only tells a torn end from a damaged one.
      }
      closeParts(this.#parts);
      this.#lock.release();
    });
  }

  /** Under the lock, with the view at the flushed end. */
  #change<T>(work: () => T): T {
    try {
      return this.#parts.shared.exclusively(() => {
        this.#follow();
        return work();
      });
    } catch (error) {
      throw failureOf(error, 'to write');
    }
  }

  #follow(): void {
    const { shared, segments, view, writer } = this.#parts;
    const { overwrites } = shared;
    if (overwrites !== this.#overwrites) {
      segments.forget(shared.first);
      view.file.forget();
      writer.forget(shared.first);
      this.#overwrites = overwrites;
    }
    view.follow();
  }
}

function makeParts(on: Pick<LogParts, 'files' | 'folder' | 'shared'>, segmentBytes: number): WritableParts {
  const segments = new SegmentSet(on.files, on.folder);
  const parts = { ...on, segments, view: new LogView(on.shared, segments) };
  return { ...parts, writer: new SegmentWriter(parts, segmentBytes) };
}

function closeParts({ segments, view, writer }: WritableParts): void {
  writer.close();
  view.close();
  segments.close();
}
