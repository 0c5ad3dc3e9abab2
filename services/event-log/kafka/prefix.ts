import type {
  Appended,
  EventLog,
  LogReader,
  NewRecord,
  PollOptions,
  PartitionRecords,
  Position,
  ReaderOptions,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from '../event-log.ts';

/** Adds a prefix to the topics and groups of an event log, and removes it from what the log returns. */
export class PrefixedEventLog implements EventLog {
  readonly #log: EventLog;
  readonly #prefix: string;

  constructor(log: EventLog, prefix: string) {
    this.#log = log;
    this.#prefix = prefix;
  }

  async append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    const prefixed = records.map(({ topic, key, value }) => ({ topic: this.#prefix + topic, key, value }));
    return withoutPrefix(await this.#log.append(prefixed), this.#prefix);
  }

  async openReader({ group, topics, start }: ReaderOptions): Promise<LogReader> {
    const reader = await this.#log.openReader({
      group: this.#prefix + group,
      topics: topics.map((topic) => this.#prefix + topic),
      start: async (assigned) => withPrefix(await start(withoutPrefix(assigned, this.#prefix)), this.#prefix),
    });
    return new PrefixedReader(reader, this.#prefix);
  }

  async *scan(ranges: readonly ScanRange[], options?: ScanOptions): AsyncGenerator<PartitionRecords> {
    for await (const piece of this.#log.scan(withPrefix(ranges, this.#prefix), options)) {
      yield { ...piece, topic: piece.topic.slice(this.#prefix.length) };
    }
  }

  async beginnings(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]> {
    return withoutPrefix(await this.#log.beginnings(topics.map((topic) => this.#prefix + topic)), this.#prefix);
  }

  async ends(topics: readonly string[]): Promise<readonly (TopicPartition & { readonly offset: bigint })[]> {
    return withoutPrefix(await this.#log.ends(topics.map((topic) => this.#prefix + topic)), this.#prefix);
  }

  async committed(group: string): Promise<readonly Position[]> {
    return withoutPrefix(await this.#log.committed(this.#prefix + group), this.#prefix);
  }

  check(): Promise<void> {
    return this.#log.check();
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

class PrefixedReader implements LogReader {
  readonly #reader: LogReader;
  readonly #prefix: string;

  constructor(reader: LogReader, prefix: string) {
    this.#reader = reader;
    this.#prefix = prefix;
  }

  async poll(options: PollOptions): Promise<readonly PartitionRecords[]> {
    const of = options.of && withPrefix(options.of, this.#prefix);
    return withoutPrefix(await this.#reader.poll({ ...options, of }), this.#prefix);
  }

  commit(positions: readonly Position[]): Promise<void> {
    return this.#reader.commit(withPrefix(positions, this.#prefix));
  }

  restart(): void {
    this.#reader.restart();
  }

  assigned(): readonly TopicPartition[] {
    return withoutPrefix(this.#reader.assigned(), this.#prefix);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

function withoutPrefix<T extends TopicPartition>(all: readonly T[], prefix: string): readonly T[] {
  return all.map((one) => ({ ...one, topic: one.topic.slice(prefix.length) }));
}

function withPrefix<T extends TopicPartition>(all: readonly T[], prefix: string): readonly T[] {
  return all.map((one) => ({ ...one, topic: prefix + one.topic }));
}
