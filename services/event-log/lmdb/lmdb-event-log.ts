import type {
  Appended,
  EventLog,
  LogReader,
  NewRecord,
  PartitionRecords,
  Position,
  ReaderOptions,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from '../event-log.ts';
import { AppendQueue } from './appends.ts';
import { failureOf } from './errors.ts';
import { prepareFolder } from './folder.ts';
import { EncodeQueue } from './encode-queue.ts';
import { LmdbReader } from './reader.ts';
import { scan } from './scan.ts';
import { LmdbStore } from './store.ts';
import { LmdbWriter } from './writer.ts';
import type { AppendEncoded } from '../record-encoder.ts';
import { checkGroup, stopping } from '../refusals.ts';

export interface LmdbEventLogOptions {
  /** Made, readable by nobody else, where it is absent; a new log where it is empty. */
  readonly folder: string;
  readonly topics: readonly string[];
  readonly partitions?: number | undefined;
  /** For how long a reader that no longer renews its lease, and cannot be seen to be dead, keeps its group. */
  readonly leaseMs?: number;
}

const LEASE_MS = 10_000;

/**
 * The embedded event log: an LMDB environment that several processes of one machine, and several threads of each, may
 * have open at once. Offsets are dense and start at 0. An append is a part of one transaction: all of it is in the log or
 * nothing. Writing is done by a thread of its own, started with the first append or reader. A worker thread that has a log
 * open must close it before anybody calls `terminate()` on it (lmdb-gate.ts).
 */
export class LmdbEventLog implements EventLog {
  readonly #store: LmdbStore;
  readonly #writer: LmdbWriter;
  readonly #appends: AppendQueue;
  readonly #encodeJobs: EncodeQueue;
  readonly #readers = new Set<LmdbReader>();
  #closing: Promise<void> | undefined;

  private constructor(folder: string, store: LmdbStore, leaseMs: number) {
    this.#store = store;
    this.#writer = new LmdbWriter(
      { folder, leaseMs },
      {
        lost: ({ member }) => this.#each((reader) => reader.claimant.member === member && reader.lose()),
        ended: () => this.#each((reader) => reader.lose()),
      },
    );
    const wakingReaders = async <T>(writing: Promise<T>): Promise<T> => {
      const result = await writing;
      this.#each((reader) => reader.wake());
      return result;
    };
    this.#appends = new AppendQueue(store.layout, (request) => wakingReaders(this.#writer.append(request)));
    this.#encodeJobs = new EncodeQueue((request) => wakingReaders(this.#writer.encode(request)));
  }

  /**
   * @throws TidemarkError `CONFIG_INVALID` where the log has another count of partitions or the folder cannot be made;
   *   `LOG_FOREIGN` where the folder holds anything else, which stays as it is; `LOG_DAMAGED`.
   */
  static async open({ folder, topics, partitions, leaseMs = LEASE_MS }: LmdbEventLogOptions): Promise<LmdbEventLog> {
    await prepareFolder(folder, topics, partitions);
    try {
      const store = LmdbStore.open(folder, topics, partitions);
      store.checkEnds();
      return new LmdbEventLog(folder, store, leaseMs);
    } catch (error) {
      throw failureOf(error, 'to open');
    }
  }

  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    if (this.#closing !== undefined) return Promise.reject(stopping());
    if (records.length === 0) return Promise.resolve([]);
    try {
      return this.#appends.append(records);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** @throws TidemarkError `LOG_UNAVAILABLE` where the module cannot be loaded, `STOPPING` where the log closes meanwhile. */
  async openEncoder(module: URL): Promise<AppendEncoded> {
    if (this.#closing !== undefined) throw stopping();
    try {
      await this.#writer.load(module.href);
    } catch (error) {
      throw this.#closing === undefined ? error : stopping();
    }
    return (job) => {
      return this.#closing === undefined ? this.#encodeJobs.append(job) : Promise.reject(stopping());
    };
  }

  async openReader(options: ReaderOptions): Promise<LogReader> {
    if (this.#closing !== undefined) throw stopping();
    checkGroup(options.group);
    const parts = {
      store: this.#store,
      writer: this.#writer,
      closed: (reader: LmdbReader) => void this.#readers.delete(reader),
    };
    const reader = new LmdbReader(parts, options);
    this.#readers.add(reader);
    return reader;
  }

  scan(ranges: readonly ScanRange[], options: ScanOptions = {}): AsyncIterable<PartitionRecords> {
    return scan(this.#store, (look) => this.#look(look), ranges, options);
  }

  /** Nothing is ever deleted. */
  async beginnings(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]> {
    return this.#store.layout.slotsOf(topics).map(({ topic, partition }) => ({ topic, partition, offset: 0n }));
  }

  async ends(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]> {
    const ends = this.#look(() => this.#store.ends());
    return this.#store.layout.slotsOf(topics).map(({ topic, partition, index }) => {
      return { topic, partition, offset: BigInt(ends[index] as number) };
    });
  }

  async committed(group: string): Promise<readonly Position[]> {
    return this.#look(() => this.#store.committed(group));
  }

  async check(): Promise<void> {
    if (this.#closing !== undefined) throw stopping();
    await this.#writer.write({ kind: 'check' });
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

  #look<T>(look: () => T): T {
    if (this.#closing !== undefined) throw stopping();
    return this.#store.look(look);
  }

  #each(tell: (reader: LmdbReader) => unknown): void {
    for (const reader of this.#readers) tell(reader);
  }
}
