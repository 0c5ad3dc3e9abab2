import type { LogReader, PartitionRecords, PollOptions, Position, TopicPartition } from '../event-log/event-log.ts';
import { nameOf } from '../event-log/partition.ts';

const COMMIT_EVERY_MS = 1_000;

/**
 * A reader that commits its positions to its group once a second and when it closes, not after every batch: a commit is
 * only a hint, and costs the broker a request.
 */
export class ThrottledCommits implements LogReader {
  readonly #reader: LogReader;
  readonly #onCommit: () => void;
  readonly #pending = new Map<string, Position>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param onCommit Called with every commit, before it reaches the group. */
  constructor(reader: LogReader, onCommit: () => void = () => undefined) {
    this.#reader = reader;
    this.#onCommit = onCommit;
  }

  poll(options: PollOptions): Promise<readonly PartitionRecords[]> {
    return this.#reader.poll(options);
  }

  /** Resolves at once. After `close` it resolves once the group has the positions: the log may be closed next. */
  async commit(positions: readonly Position[]): Promise<void> {
    this.#onCommit();
    for (const position of positions) this.#pending.set(nameOf(position), position);
    if (this.#isClosed) await this.#flush();
    else this.#timer ??= setTimeout(() => void this.#flush(), COMMIT_EVERY_MS).unref();
  }

  restart(): void {
    this.#reader.restart();
  }

  assigned(): readonly TopicPartition[] {
    return this.#reader.assigned();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flush();
    await this.#reader.close();
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const positions = [...this.#pending.values()];
    this.#pending.clear();
    // If it fails, the next commit covers it.
    if (positions.length > 0) await this.#reader.commit(positions).catch(() => undefined);
  }
}
