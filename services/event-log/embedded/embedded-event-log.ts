import { TidemarkError } from '../../runtime/errors.ts';
import type {
  Appended,
  AppendEncoded,
  EventLog,
  EventLogOptions,
  LogCopy,
  LogReader,
  LogRecord,
  NewRecord,
  PartitionRecords,
  ReaderOptions,
  LogCoordinates,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from '../event-log.ts';
import { AppendQueue } from './append-queue.ts';
import { commitsOf } from './copied-chunks.ts';
import { EncodeQueue } from './encode-queue.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import { scan } from './scan.ts';
import type { LogPartition } from './segments/layout.ts';
import { SegmentStore } from './segments/segment-store.ts';
import { LogWriter } from './log-writer.ts';
import { nameOf } from '../partition.ts';
import { checkGroup, checkPlaces, logClosed, unknownPartition } from '../refusals.ts';

/** Appends wait while a file is deleted, which takes some 15 ms, and have their turn before the next. */
const FILES_CUT_AT_ONCE = 1;

/**
 * The embedded event log, in a folder of this machine. It belongs to one process (the lock of the data folder keeps others
 * out), in which several threads may have it open. The reader of a group is chosen within one `EmbeddedEventLog`. Offsets
 * are dense. An append is part of one commit: either all of it is in the log or nothing. A thread of its own writes,
 * started by the first append. A worker thread that has a log open must close it before anybody calls
 * `terminate()` on it: ended in the middle of a commit, it keeps the other threads waiting.
 */
export class EmbeddedEventLog implements EventLog, LogCopy {
  readonly #store: SegmentStore;
  readonly #writer: LogWriter;
  readonly #appends: AppendQueue;
  readonly #encodeJobs: EncodeQueue;
  readonly #readers = new Set<EmbeddedReader>();
  /** The member of each group that reads. */
  readonly #owners = new Map<string, EmbeddedReader>();
  #closing: Promise<void> | undefined;

  private constructor(folder: string, store: SegmentStore) {
    this.#store = store;
    this.#writer = new LogWriter({ folder }, (threadId) => store.threadEnded(threadId));
    const wakingReaders = async <T>(writing: Promise<T>): Promise<T> => {
      const result = await writing;
      for (const reader of this.#readers) reader.wake();
      return result;
    };
    this.#appends = new AppendQueue(store.layout, (request) => wakingReaders(this.#writer.ask(request)));
    this.#encodeJobs = new EncodeQueue((request) => wakingReaders(this.#writer.ask(request)));
  }

  /** @throws TidemarkError as `SegmentStore.open`. */
  static async open(options: EventLogOptions & { readonly folder: string }): Promise<EmbeddedEventLog> {
    return new EmbeddedEventLog(options.folder, SegmentStore.open(options));
  }

  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    if (this.#closing !== undefined) return Promise.reject(logClosed());
    if (records.length === 0) return Promise.resolve([]);
    try {
      return this.#appends.append(records);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * @throws TidemarkError `LOG_UNAVAILABLE` where the module cannot be loaded, `STOPPING` where the log is closed
   * meanwhile.
   */
  async openEncoder(module: URL): Promise<AppendEncoded> {
    if (this.#closing !== undefined) throw logClosed();
    try {
      await this.#writer.ask({ kind: 'load', module: module.href });
    } catch (error) {
      throw this.#closing === undefined ? error : logClosed();
    }
    return (job) => {
      return this.#closing === undefined ? this.#encodeJobs.append(job) : Promise.reject(logClosed());
    };
  }

  async openReader(options: ReaderOptions): Promise<LogReader> {
    if (this.#closing !== undefined) throw logClosed();
    checkGroup(options.group);
    const parts = {
      store: this.#store,
      owners: this.#owners,
      closed: (reader: EmbeddedReader) => void this.#readers.delete(reader),
    };
    const reader = new EmbeddedReader(parts, options);
    this.#readers.add(reader);
    return reader;
  }

  scan(ranges: readonly ScanRange[], options: ScanOptions = {}): AsyncIterable<PartitionRecords> {
    return scan(this.#store, (read) => this.#withLatest(read), ranges, options);
  }

  async beginnings(topics: readonly string[]): Promise<readonly LogCoordinates[]> {
    const beginnings = this.#withLatest(() => this.#store.beginnings());
    return this.#offsetsOf(topics, beginnings);
  }

  async ends(topics: readonly string[]): Promise<readonly LogCoordinates[]> {
    const ends = this.#withLatest(() => this.#store.ends());
    return this.#offsetsOf(topics, ends);
  }

  async erase(places: readonly LogCoordinates[]): Promise<number> {
    if (this.#closing !== undefined) throw logClosed();
    if (places.length === 0) return 0;
    const records = places.map((place) => [this.#partition(place).index, Number(place.offset)] as const);
    return this.#writer.ask({ kind: 'erase', records });
  }

  async cut(before: readonly LogCoordinates[]): Promise<void> {
    if (this.#closing !== undefined) throw logClosed();
    checkPlaces(before);
    const ends = this.#withLatest(() => this.#store.ends());
    const below = new Float64Array(ends.length);
    for (const { offset, ...at } of before) {
      const { index } = this.#partition(at);
      // What is appended meanwhile is not cut.
      below[index] = Math.min(Number(offset), ends[index] as number);
    }
    while (await this.#writer.ask({ kind: 'cut', below, most: FILES_CUT_AT_ONCE })) {
      if (this.#closing !== undefined) throw logClosed();
    }
    // A file that is open keeps its space.
    this.#withLatest(() => undefined);
  }

  /** This thread writes: a log that is filled answers nobody meanwhile. */
  async appendAt(at: TopicPartition, records: readonly LogRecord[], end?: bigint): Promise<void> {
    const partition = this.#partition(at);
    const first = this.#withLatest(() => this.#store.ends()[partition.index] as number);
    const wanted = records[0]?.offset ?? BigInt(first);
    if (wanted < first) {
      throw new TidemarkError('RESTORE_REFUSED', `The offset ${wanted} of ${nameOf(at)} has a record already.`);
    }
    const behind = Number((records.at(-1)?.offset ?? -1n) + 1n);
    for (const commit of commitsOf(first, records, Math.max(behind, Number(end ?? 0n)))) {
      this.#store.transact((transaction) => {
        for (const { bytes, count, appendedAtMs } of commit) transaction.append(partition, bytes, count, appendedAtMs);
      });
    }
  }

  /** The log is whole as it is. */
  async finish(): Promise<void> {}

  async check(): Promise<void> {
    if (this.#closing !== undefined) throw logClosed();
    await this.#writer.ask({ kind: 'check' });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#appends.idle(), this.#encodeJobs.idle()]);
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    await this.#writer.close();
    await this.#store.close();
  }

  #partition(at: TopicPartition): LogPartition {
    const partition = this.#store.layout.find(at);
    if (partition === undefined) throw unknownPartition(at);
    return partition;
  }

  #offsetsOf(topics: readonly string[], offsets: Float64Array) {
    return this.#store.layout.partitionsOf(topics).map(({ topic, partition, index }) => {
      return { topic, partition, offset: BigInt(offsets[index] as number) };
    });
  }

  #withLatest<T>(read: () => T): T {
    if (this.#closing !== undefined) throw logClosed();
    return this.#store.withLatest(read);
  }
}
