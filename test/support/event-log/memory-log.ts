import type {
  Appended,
  EventLog,
  LogCoordinates,
  LogReader,
  LogRecord,
  NewRecord,
  PartitionRecords,
  PollOptions,
  Position,
  ReaderOptions,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from '../../../services/event-log/event-log.ts';
import { identityOf } from '../../../services/event-log/identity.ts';
import { entryAt } from '../../../services/event-log/start.ts';
import { isAmong } from '../../../services/event-log/partition.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';

/** An event log in memory: one reader, a partition chosen by the test. A fake at the port, for the readers' tests. */
export class MemoryLog implements EventLog {
  readonly #partitions = new Map<string, LogRecord[]>();
  readonly #beginnings = new Map<string, bigint>();
  readonly #committed = new Map<string, Position>();
  /** Every append and poll fails with this while it is set. */
  trouble: TidemarkError | undefined;
  /** When the first record of each partition is appended; the next a millisecond later. */
  beginsAtMs = 1_700_000_000_000;

  async append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    if (this.trouble) throw this.trouble;
    return records.map((record) => this.put(record.topic, 0, record));
  }

  /** Adds a record to a partition of the test's choice. */
  put(topic: string, partition: number, { key, value }: Pick<NewRecord, 'key' | 'value'>): Appended {
    const records = this.records(topic, partition);
    const offset = BigInt(records.length);
    const appendedAtMs = this.beginsAtMs + records.length;
    records.push({ offset, appendedAtMs, key, value });
    return { topic, partition, offset, appendedAtMs };
  }

  records(topic: string, partition: number): LogRecord[] {
    const name = `${topic}/${partition}`;
    let records = this.#partitions.get(name);
    if (!records) this.#partitions.set(name, (records = []));
    return records;
  }

  async openReader(options: ReaderOptions): Promise<LogReader> {
    return new MemoryReader(this, options, this.#committed);
  }

  partitionsOf(topics: readonly string[]): readonly TopicPartition[] {
    return [...this.#partitions.keys()]
      .map((name) => name.split('/') as [string, string])
      .filter(([topic]) => topics.includes(topic))
      .map(([topic, partition]) => ({ topic, partition: Number(partition) }));
  }

  async ends(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]> {
    return this.partitionsOf(topics).map((at) => ({
      ...at,
      offset: BigInt(this.records(at.topic, at.partition).length),
    }));
  }

  /** How often it was scanned. */
  scans = 0;

  async *scan(ranges: readonly ScanRange[], { signal }: ScanOptions = {}): AsyncGenerator<PartitionRecords> {
    this.scans++;
    for (const { topic, partition, from, to } of ranges) {
      if (this.trouble) throw this.trouble;
      signal?.throwIfAborted();
      const first = this.beginning(topic, partition);
      const isWanted = ({ offset }: LogRecord): boolean => offset >= from && offset >= first && offset < to;
      const records = this.records(topic, partition).filter(isWanted);
      if (records.length > 0) yield { topic, partition, records };
    }
  }

  async beginnings(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]> {
    return this.partitionsOf(topics).map((at) => ({ ...at, offset: this.beginning(at.topic, at.partition) }));
  }

  async cut(before: readonly LogCoordinates[]): Promise<void> {
    if (this.trouble) throw this.trouble;
    for (const { topic, partition, offset } of before) {
      const end = BigInt(this.records(topic, partition).length);
      const first = offset < end ? offset : end;
      if (first > this.beginning(topic, partition)) this.#beginnings.set(`${topic}/${partition}`, first);
    }
  }

  /** The offset of the first record that was not cut. */
  beginning(topic: string, partition: number): bigint {
    return this.#beginnings.get(`${topic}/${partition}`) ?? 0n;
  }

  async committed(): Promise<readonly Position[]> {
    return [...this.#committed.values()];
  }

  async check(): Promise<void> {
    if (this.trouble) throw this.trouble;
  }

  async close(): Promise<void> {}
}

class MemoryReader implements LogReader {
  readonly #log: MemoryLog;
  readonly #options: ReaderOptions;
  readonly #committed: Map<string, Position>;
  readonly #next = new Map<string, bigint>();
  #closed = false;

  constructor(log: MemoryLog, options: ReaderOptions, committed: Map<string, Position>) {
    this.#log = log;
    this.#options = options;
    this.#committed = committed;
  }

  async poll({ maxRecords, maxWaitMs, of }: PollOptions): Promise<readonly PartitionRecords[]> {
    if (this.#log.trouble) throw this.#log.trouble;
    await this.#begin();
    const batch: PartitionRecords[] = [];
    let left = maxRecords;
    for (const at of this.assigned().filter((each) => isAmong(of, each))) {
      const name = `${at.topic}/${at.partition}`;
      const from = Number(this.#next.get(name) ?? 0n);
      const records = this.#log.records(at.topic, at.partition).slice(from, from + left);
      if (records.length === 0) continue;
      left -= records.length;
      this.#next.set(name, BigInt(from + records.length));
      batch.push({ ...at, records });
    }
    if (batch.length === 0 && !this.#closed) {
      await new Promise((resolve) => {
        setTimeout(resolve, Math.min(maxWaitMs, 5));
      });
    }
    return this.#closed ? [] : batch;
  }

  async commit(positions: readonly Position[]): Promise<void> {
    for (const position of positions) this.#committed.set(`${position.topic}/${position.partition}`, position);
  }

  restart(): void {
    this.#next.clear();
  }

  assigned(): readonly TopicPartition[] {
    return this.#log.partitionsOf(this.#options.topics);
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #begin(): Promise<void> {
    const fresh = this.assigned().filter(({ topic, partition }) => !this.#next.has(`${topic}/${partition}`));
    if (fresh.length === 0) return;
    const positions = await this.#options.start(fresh);
    for (const { topic, partition } of fresh)
      this.#next.set(`${topic}/${partition}`, this.#log.beginning(topic, partition));
    for (const position of positions) this.#startAt(position);
  }

  #startAt({ topic, partition, offset, identity }: Position): void {
    const records = this.#log.records(topic, partition);
    const bounds = { earliest: this.#log.beginning(topic, partition), latest: BigInt(records.length) };
    const { from, identity: expected } = entryAt({ topic, partition, offset, identity }, bounds);
    if (expected !== undefined && identityOf(records[Number(from)]!) !== expected) {
      throw new TidemarkError('LOG_REPLACED', `another record stands before ${topic}/${partition} at ${offset}`);
    }
    this.#next.set(`${topic}/${partition}`, expected === undefined ? from : offset);
  }
}
