import { type Message, type Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import type { Found } from './read-dead-letters.ts';
import { errorCodeOf } from './selection.ts';
import type { Settled } from './settled-dead-letters.ts';

export type DeadLetterState = Settled['state'] | 'waiting';

/** The failure of one reader on a message. */
export interface AttemptSummary {
  readonly reader: string;
  readonly error: string;
  /** RFC 3339. */
  readonly failed_at: string;
  /** The coordinates of the dead letter itself. */
  readonly id: string;
}

/** The message of one or more dead letters, of any reader, as the command line prints it. */
export interface DeadLetterSummary {
  /** `topic/partition/offset` of the message. */
  readonly id: string;
  readonly state: DeadLetterState;
  /** The error code of the last attempt. */
  readonly code: string | null;
  readonly failed_at: string;
  readonly attempts: readonly AttemptSummary[];
  /** Null if the message cannot be decoded. */
  readonly project_id: string | null;
  readonly message_id: string | null;
  readonly bytes: number;
  readonly settled_at: string | null;
  /** The coordinates of its copy, if it was replayed. */
  readonly copy: string | null;
  /** The message that this one is a copy of, if an earlier dead letter was replayed. */
  readonly copy_of: string | null;
}

/** Details of a message that are not in its dead letters. */
export interface Known {
  readonly message: Message | undefined;
  readonly settled: Settled | undefined;
  readonly original: RecordCoordinates | undefined;
}

interface Item {
  readonly place: RecordCoordinates;
  readonly known: Known;
  readonly bytes: number;
  readonly attempts: Map<string, Attempt>;
  lastFailedAt: Micros;
}

interface Attempt {
  readonly reader: string;
  readonly error: string;
  readonly failedAt: Micros;
  readonly at: RecordCoordinates;
}

/** Where a list continues: after this message. */
export interface ListCursor {
  readonly failedAt: Micros;
  readonly id: string;
}

/** Keeps the newest of the dead letters added, each message once. It holds few more than its limit in memory. */
export class Listing {
  readonly #limit: number;
  readonly #after: ListCursor | undefined;
  readonly #items = new Map<string, Item>();
  #hasMore = false;

  /** @param after Only messages after this one. */
  constructor(limit: number, after?: ListCursor) {
    this.#limit = limit;
    this.#after = after;
  }

  /** Whether some were omitted. */
  get hasMore(): boolean {
    return this.#hasMore || this.#following().length > this.#limit;
  }

  /** Where the next page begins; undefined on the last page. */
  get next(): ListCursor | undefined {
    const last = this.#newest().at(-1);
    return last === undefined || !this.hasMore ? undefined : cursorOf(last);
  }

  add({ at, letter }: Found, known: Known): void {
    const { topic, partition, offset, key, value, reader, error, failedAt } = letter;
    const name = formatCoordinates(letter);
    let item = this.#items.get(name);
    if (item === undefined) {
      const bytes = key.byteLength + value.byteLength;
      item = { place: { topic, partition, offset }, known, bytes, attempts: new Map(), lastFailedAt: failedAt };
      this.#items.set(name, item);
    }
    if (failedAt > item.lastFailedAt) item.lastFailedAt = failedAt;
    // After a crash a reader may write the same dead letter again.
    if (!item.attempts.has(reader)) item.attempts.set(reader, { reader, error, failedAt, at });
    if (this.#items.size > 2 * this.#limit + 1_000) this.#prune();
  }

  /** Newest first. */
  summaries(): readonly DeadLetterSummary[] {
    return this.#newest().map(summaryOf);
  }

  #newest(): readonly Item[] {
    return this.#following().toSorted(newestFirst).slice(0, this.#limit);
  }

  /** Those after the cursor. */
  #following(): readonly Item[] {
    const all = [...this.#items.values()];
    const after = this.#after;
    return after === undefined ? all : all.filter((item) => compare(cursorOf(item), after) > 0);
  }

  #prune(): void {
    const kept = this.#newest();
    if (this.#following().length > kept.length) this.#hasMore = true;
    this.#items.clear();
    for (const item of kept) this.#items.set(formatCoordinates(item.place), item);
  }
}

function cursorOf({ place, lastFailedAt }: Item): ListCursor {
  return { failedAt: lastFailedAt, id: formatCoordinates(place) };
}

function newestFirst(one: Item, other: Item): number {
  return compare(cursorOf(one), cursorOf(other));
}

function compare(one: ListCursor, other: ListCursor): number {
  if (one.failedAt !== other.failedAt) return one.failedAt > other.failedAt ? -1 : 1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

function summaryOf({ place, known, bytes, attempts, lastFailedAt }: Item): DeadLetterSummary {
  const { message, settled, original } = known;
  const all = [...attempts.values()];
  return {
    id: formatCoordinates(place),
    state: settled?.state ?? 'waiting',
    code: errorCodeOf(all.at(-1) ?? { error: '' }) ?? null,
    failed_at: formatMicros(lastFailedAt),
    attempts: all.map(({ reader, error, failedAt, at }) => {
      return { reader, error, failed_at: formatMicros(failedAt), id: formatCoordinates(at) };
    }),
    project_id: message?.projectId ?? null,
    message_id: message?.messageId ?? null,
    bytes,
    settled_at: settled === undefined ? null : new Date(settled.settledAtMs).toISOString(),
    copy: settled?.copy === undefined ? null : formatCoordinates(settled.copy),
    copy_of: original === undefined ? null : formatCoordinates(original),
  };
}
