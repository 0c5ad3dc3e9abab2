import type { LogReader, PartitionRecords, PollOptions, Position, TopicPartition } from '../event-log/event-log.ts';
import { nameOf } from '../event-log/partition.ts';

const COMMIT_EVERY_MS = 1_000;

/**
 * A reader that tells its group how far it has come once a second, and when it leaves, in place of after every batch: that
 * is only a hint, and the embedded log flushes the disk for it, under the lock that appends wait for.
 */
export class ThrottledCommits implements LogReader {
  readonly #reader: LogReader;
  readonly #onCommit: () => void;
  readonly #pending = new Map<string, Position>();
  #timer: NodeJS.Timeout | undefined;
  #hasLeft = false;

  /** @param onCommit Called whenever it is told how far the reader has come. */
  constructor(reader: LogReader, onCommit: () => void = () => undefined) {
    this.#reader = reader;
    this.#onCommit = onCommit;
  }

  poll(options: PollOptions): Promise<readonly PartitionRecords[]> {
    return this.#reader.poll(options);
  }

  /** Resolves at once; of a reader that has left once it is told, for the log may be closed after it. */
  async commit(positions: readonly Position[]): Promise<void> {
    this.#onCommit();
    for (const position of positions) this.#pending.set(nameOf(position), position);
    if (this.#hasLeft) await this.#tell();
    else this.#timer ??= setTimeout(() => void this.#tell(), COMMIT_EVERY_MS).unref();
  }

  restart(): void {
    this.#reader.restart();
  }

  assigned(): readonly TopicPartition[] {
    return this.#reader.assigned();
  }

  async close(): Promise<void> {
    this.#hasLeft = true;
    await this.#tell();
    await this.#reader.close();
  }

  async #tell(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const positions = [...this.#pending.values()];
    this.#pending.clear();
    // Where it fails, the next one tells more.
    if (positions.length > 0) await this.#reader.commit(positions).catch(() => undefined);
  }
}
