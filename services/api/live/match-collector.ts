import type { LogRecord, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';

interface FoundRecord {
  readonly at: TopicPartition;
  readonly record: LogRecord;
}

/** Counts records, and keeps the newest of each partition. */
export class MatchCollector {
  seen = 0;
  readonly rows: number;
  readonly #kept = new Map<string, FoundRecord[]>();

  /** @param rows How many are wanted. */
  constructor(rows: number) {
    this.rows = rows;
  }

  add(one: FoundRecord): void {
    this.seen++;
    const name = nameOf(one.at);
    const kept = this.#kept.get(name) ?? [];
    kept.push(one);
    this.#kept.set(name, kept.length >= 4 * this.rows ? kept.slice(-this.rows) : kept);
  }

  /**
   * The newest of all partitions by the millisecond of their append, oldest first: as many as are wanted, and others of the
   * same millisecond as the oldest of them. Only their messages tell which of these is newer.
   */
  newest(): FoundRecord[] {
    const all = [...this.#kept.values()].flatMap((kept) => kept.slice(-this.rows));
    all.sort((one, other) => one.record.appendedAtMs - other.record.appendedAtMs);
    const oldestMs = all.at(-this.rows)?.record.appendedAtMs ?? 0;
    return all.filter(({ record }) => record.appendedAtMs >= oldestMs);
  }
}
