/**
 * The port to what stores an embedded log: files of segments (`segments/`). The log's own thread has it open to read, and
 * its writer thread a second time to write. Several threads of the process may have one log open. Every call blocks its
 * thread.
 */
import type { LogRecord } from '../event-log.ts';
import type { ChunkRead, Limits } from './segments/chunk.ts';
import type { Layout, LogPartition } from './segments/layout.ts';

/** What a read and a transaction see. Nothing changes within one `withLatest`, but for records that are erased. */
export interface StoreState {
  /** The next offset of every partition, by the partition's index. The array is the caller's. */
  ends(): Float64Array;
  /** The offset of the first record of every partition that has not been cut; the end where it has no record. */
  beginnings(): Float64Array;
  /** A value that was stored under a name, from JSON; undefined without one. @throws TidemarkError `LOG_DAMAGED`. */
  note<T>(name: string): T | undefined;
}

/** What one commit adds. All of it is durable once `transact` returns, or nothing is in the log. */
export interface StoreTransaction extends StoreState {
  /**
   * Appends a chunk whose records are written to its partition, and fills in its header (`sealChunk`). Its memory must
   * not change until the transaction has ended. Returns the offset of its first record, which is the partition's end
   * before.
   */
  append(partition: LogPartition, chunk: Buffer, count: number, appendedAtMs: number): number;
  /** Stores a value, as JSON, in place of the one of this name. */
  putNote(name: string, value: unknown): void;
}

export interface LogStore extends StoreState {
  /** The topics and partitions that it had when it was opened. */
  readonly layout: Layout;
  /**
   * Runs `read` on the latest state that is durable.
   *
   * @throws TidemarkError `LOG_DAMAGED`; `LOG_REPLACED`; `LOG_UNAVAILABLE`, retryable.
   */
  withLatest<T>(read: () => T): T;
  /**
   * Adds the records from offset `from` on to `records`, within one chunk and `limits`. They are views of memory that
   * nobody overwrites. One that was erased is blank (`isBlank`); offsets
   * without a record are passed. Within `withLatest`.
   *
   * @param from An offset below the partition's end.
   * @throws TidemarkError `LOG_DAMAGED` where the record is lost or its checksum fails; `LOG_REPLACED` where it was cut.
   */
  read(partition: LogPartition, from: number, limits: Limits, records: LogRecord[]): ChunkRead;
  /**
   * Runs `work` as one commit, which is flushed to the disk when this returns. If it throws, the log stays as it was, and
   * later commits are possible. Commits of all threads come one after the other.
   *
   * @param bytes The size of the chunks that it appends.
   * @throws what `work` throws; TidemarkError `LOG_UNAVAILABLE`, retryable, where the disk is full, or a write or flush
   *   fails; `LOG_DAMAGED`.
   */
  transact<T>(work: (transaction: StoreTransaction) => T, bytes: number): T;
  /**
   * To be called where a thread that had the log open has ended, perhaps in the middle of a commit, so that it keeps no
   * other thread waiting.
   *
   * @param threadId As `worker_threads` numbers it.
   */
  threadEnded(threadId: number): void;
  close(): Promise<void>;
}

/** A record to be erased. */
export interface ErasedRecord {
  readonly partition: LogPartition;
  readonly offset: number;
}

/** A store that can also delete. */
export interface DeletingStore extends LogStore {
  /**
   * Erases records: their bytes are overwritten on the disk, and they are blank from then on. A blank record keeps its
   * offset, the time of its chunk and the space that it took. Either all of them are blank when this returns, or, if
   * it throws or the process dies, they are made blank at the latest when the log is next opened; then none is blank where
   * the request itself was not yet durable. Returns the number of records that were not blank before.
   *
   * @throws TidemarkError `LOG_DAMAGED` where one of the records is lost, `LOG_REPLACED` where it was cut; nothing is
   *   erased then. `LOG_UNAVAILABLE`, retryable.
   */
  erase(records: readonly ErasedRecord[]): number;
  /**
   * Deletes records from the beginning, and gives their space back: only whole files, whose records all lie below the
   * given offset of their partition, so some of the records may stay. Where all records of the log lie below, none does.
   * `beginnings()` says which; offsets, ends and notes stay as they are. A crash in between leaves the log cut.
   *
   * @param below An offset for every partition, by the partition's index.
   * @throws TidemarkError `LOG_UNAVAILABLE`, retryable.
   */
  cut(below: Float64Array): void;
}
