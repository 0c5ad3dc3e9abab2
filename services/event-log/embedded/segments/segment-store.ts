import { join, resolve } from 'node:path';
import type { LogRecord } from '../../event-log.ts';
import { type ChunkRead, isIntact, type Limits, readRecords, seedOf } from './chunk.ts';
import { damaged, failureOf } from './errors.ts';
import { grown, type Layout, type LogPartition } from './layout.ts';
import type { DeletingStore, ErasedRecord, StoreTransaction } from '../store.ts';
import { nameOf } from '../../partition.ts';
import { ChunkFinder, type StoredChunk, unlessLost, unlessUnreadable } from './chunk-finder.ts';
import { type FileOperations, NODE_FILES } from './files.ts';
import { CONVERTED_FILE, lockForProcess, prepareFolder, type ProcessLock } from './folder.ts';
import { FRAME_KIND } from './frame.ts';
import { LogView } from './log-view.ts';
import { FIRST_SEGMENT_NOTE, recover, type RecoveryParts, removeCut } from './recovery.ts';
import { blanksOf, finishRedo, overwrite, type RedoParts } from './erasure.ts';
import { SegmentSet } from './segment-set.ts';
import { encodeBody, SegmentTransaction } from './segment-transaction.ts';
import { SegmentWriter } from './segment-writer.ts';
import { segmentBytesOfProcess, type SharedLog, shareLog } from './shared-log.ts';

export interface SegmentStoreOptions {
  readonly folder: string;
  readonly topics: readonly string[];
  readonly partitions: number | undefined;
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
 */
export class SegmentStore implements DeletingStore {
  readonly layout: Layout;
  readonly #folder: string;
  readonly #parts: RecoveryParts;
  readonly #finder: ChunkFinder;
  readonly #lock: ProcessLock;
  /** What was overwritten or cut in the log when this thread last looked. */
  #overwrites: number;

  private constructor(folder: string, parts: RecoveryParts, lock: ProcessLock) {
    this.#folder = folder;
    this.#parts = parts;
    this.#finder = new ChunkFinder(parts.shared, parts.segments, parts.view);
    this.#lock = lock;
    this.#overwrites = parts.shared.overwrites;
    this.layout = parts.view.layout;
  }

  /**
   * @throws TidemarkError `FOLDER_IN_USE` where another process has it open; `LOG_FOREIGN`, `LOG_DAMAGED`,
   *   `CONFIG_INVALID`, `LOG_UNAVAILABLE`.
   */
  static open(options: SegmentStoreOptions): SegmentStore {
    const { topics, partitions, files = NODE_FILES } = options;
    const folder = resolve(options.folder);
    prepareFolder(files, folder);
    const shared = options.shared ?? shareLog(folder);
    const parts = makeParts({ files, folder, shared }, options.segmentBytes ?? segmentBytesOfProcess());
    return shared.exclusively(() => {
      const lock = lockForProcess(shared, files === NODE_FILES ? folder : undefined);
      try {
        if (shared.stores === 0) recover(parts, topics, partitions);
        parts.view.follow();
        grow(parts, topics, partitions);
        shared.stores++;
        return new SegmentStore(folder, parts, lock);
      } catch (error) {
        closeParts(parts);
        if (shared.stores === 0) lock.release();
        throw failureOf(error, 'to open');
      }
    });
  }

  withLatest<T>(read: () => T): T {
    try {
      this.#follow();
      return read();
    } catch (error) {
      throw failureOf(error, 'to read');
    }
  }

  ends(): Float64Array {
    return Float64Array.from(this.#parts.view.ends);
  }

  beginnings(): Float64Array {
    return this.#finder.beginnings();
  }

  /** Bytes of all segments. */
  get bytes(): number {
    const { shared, segments } = this.#parts;
    const { segment, end } = shared.flushed;
    return segments.bytesBetween(shared.first, segment) + end;
  }

  note<T>(name: string): T | undefined {
    return this.#parts.view.notes.get(name) as T | undefined;
  }

  read(partition: LogPartition, from: number, limits: Limits, records: LogRecord[]): ChunkRead {
    const { chunk, first } = this.#intactChunk(partition, this.#finder.find(partition, from));
    return readRecords(chunk, first, from, limits, records);
  }

  /**
   * As `read`, but passes what is lost or what the disk does not give: reads within one segment, the first that has a whole
   * record from offset `from` on. Undefined where nothing whole follows.
   */
  readWhole(partition: LogPartition, from: number, limits: Limits, records: LogRecord[]): WholeRead | undefined {
    let read: WholeRead | undefined;
    for (const stored of this.#finder.findAll(partition, from)) {
      const { name } = stored.file;
      if (read !== undefined && read.segment !== name) break;
      const chunk = unlessUnreadable(() => this.#intactChunk(partition, stored).chunk);
      if (chunk === undefined) continue;
      const { next: start, bytes: before, lost } = read ?? { next: from, bytes: 0, lost: 0 };
      const skipped = Math.max(0, stored.first - start);
      const left = { ...limits, bytes: limits.bytes - before };
      const { next, bytes } = readRecords(chunk, stored.first, start, left, records);
      read = { next: Math.max(next, stored.first), bytes: before + bytes, lost: lost + skipped, segment: name };
      if (next < stored.first + stored.count) break;
    }
    return read;
  }

  transact<T>(work: (transaction: StoreTransaction) => T, bytes: number): T {
    const { files, view, writer } = this.#parts;
    return this.#change(() => {
      const transaction = new SegmentTransaction(view, () => this.beginnings());
      const result = work(transaction);
      if (transaction.isEmpty) return result;
      // Right before the write, so that another program can fill the disk only during the commit itself.
      files.expectRoom(this.#folder, bytes);
      writer.commit(transaction.parts(), transaction.chunks);
      return result;
    });
  }

  threadEnded(threadId: number): void {
    this.#parts.shared.threadEnded(threadId);
  }

  erase(records: readonly ErasedRecord[]): number {
    return this.#change(() => {
      this.#parts.files.remove(join(this.#folder, CONVERTED_FILE));
      finishRedo(this.#parts);
      const { overwrites, count } = blanksOf(records, (partition, offset) => {
        return this.#intactChunk(partition, this.#finder.find(partition, offset));
      });
      if (count > 0) overwrite(this.#parts, overwrites);
      return count;
    });
  }

  cut(below: Float64Array): void {
    const { shared, view, writer } = this.#parts;
    this.#change(() => {
      if (isBelow(view.ends, below)) writer.beginUnlessNew();
      let { first } = shared;
      for (let next = first + 1; next <= shared.flushed.segment; next++) {
        // One whose beginning is lost goes with those before it.
        const starts = unlessLost(() => this.#finder.startsOf(next));
        if (starts !== undefined && !isBelow(starts, below)) break;
        if (starts !== undefined) first = next;
      }
      if (first > shared.first) {
        const body = Buffer.from(encodeBody({ notes: { [FIRST_SEGMENT_NOTE]: first } }));
        writer.commit({ kind: FRAME_KIND.commit, chunks: [], body }, []);
        shared.first = first;
        shared.countOverwrite();
      }
      removeCut(this.#parts);
    });
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
    const { shared, segments, view } = this.#parts;
    const { overwrites } = shared;
    if (overwrites !== this.#overwrites) {
      segments.forget(shared.first);
      view.file.forget();
      this.#overwrites = overwrites;
    }
    view.follow();
  }

  #intactChunk(partition: LogPartition, stored: StoredChunk): StoredChunk & { readonly chunk: Buffer } {
    const seed = seedOf(partition, stored.first);
    const chunk = readChunk(stored);
    if (chunk !== undefined && isIntact(chunk, seed)) return { ...stored, chunk };
    const again = this.#readUnderLock(stored);
    if (again !== undefined && isIntact(again, seed)) return { ...stored, chunk: again };
    throw damaged(`${stored.file.name} is damaged at byte ${stored.position}: ${nameOf(partition)} has lost records`);
  }

  /** Another thread may have been overwriting it, or have left that half done. */
  #readUnderLock(stored: StoredChunk): Buffer | undefined {
    return this.#parts.shared.exclusively(() => {
      finishRedo(this.#parts);
      stored.file.forget();
      return readChunk(stored);
    });
  }
}

function readChunk({ file, position, length, limit, isAlone }: StoredChunk): Buffer | undefined {
  return file.bytes(position, length, limit, isAlone);
}

function makeParts(on: Omit<RedoParts, 'segments'>, segmentBytes: number): RecoveryParts {
  const segments = new SegmentSet(on.files, on.folder);
  const view = new LogView(on.shared, segments);
  const writer = new SegmentWriter({ ...on, segments, view, segmentBytes });
  return { ...on, segments, view, writer };
}

function closeParts({ segments, view, writer }: RecoveryParts): void {
  writer.close();
  view.close();
  segments.close();
}

/** Creates the topics that the log lacks. */
function grow(
  { files, folder, view, writer }: RecoveryParts,
  wanted: readonly string[],
  partitions: number | undefined,
) {
  const topics = grown(view.topics, wanted, partitions);
  if (topics.length === view.topics.length) return;
  files.expectRoom(folder, 0);
  writer.commit({ kind: FRAME_KIND.commit, chunks: [], body: Buffer.from(encodeBody({ topics })) }, []);
}

/** Whether every partition begins at the given offset or before. */
function isBelow(starts: readonly number[], below: Float64Array): boolean {
  return starts.every((start, partition) => start <= (below[partition] ?? 0));
}
