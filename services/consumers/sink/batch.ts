import type { Rows } from '../../stores/analytics/analytics-store.ts';
import { isBlank } from '../../event-log/blank.ts';
import type { LogRecord, Position } from '../../event-log/event-log.ts';
import { positionAfter } from '../../event-log/identity.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Message } from '../../messages/message.ts';
import type { Claim, ReaderStep } from '../../stores/profiles/profile-store.ts';
import type { Unprocessable } from '../dead-letters.ts';
import type { Decoded } from '../decode-batch.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { WantedMessages } from '../wanted-messages.ts';
import { joinRows, RowChunks } from './row-chunks.ts';
import type { TableRows } from './row.ts';
import { type ReadUsers, Touched } from './touched.ts';
import { UsersSeen } from './users-seen.ts';

/** A message as it is copied to analytics. */
export interface Copied {
  readonly message: Message;
  /** None of an event that its project no longer keeps. */
  readonly rows: readonly TableRows[];
}

export type SinkEntry = Decoded<Copied>;

/** A message whose rows are inserted only if it is the first copy. */
export interface ClaimedEntry extends SinkEntry {
  readonly claim: Claim;
}

/** A record as it was read. Without content if its project is not copied. */
export type Read = Decoded<Copied | undefined> | Unprocessable;

/** What one insert covers. */
export interface InsertBatch {
  /** Whether these steps are planned already, and are inserted again. */
  readonly isRepeat: boolean;
  readonly steps: readonly ReaderStep[];
  /** What was wanted when the first of them was read. */
  readonly wanted: WantedMessages | undefined;
  // Not the messages themselves: objects that live for a second are what the garbage collector spends its time on.
  /** The messages that count in any case: their rows, their users, and their number. */
  readonly rows: Rows;
  readonly users: readonly ReadUsers[];
  readonly unclaimed: number;
  /** One of each type of these messages. */
  readonly samples: readonly SinkEntry[];
  readonly claimed: readonly ClaimedEntry[];
  readonly unprocessable: readonly Unprocessable[];
}

/** What was read of one partition, in order. */
class PartitionBuffer implements ReadUsers {
  readonly from: Position;
  /** Where the plan that it repeats ends. */
  readonly until: Position | undefined;
  last: LogRecord | undefined;
  readonly chunks = new RowChunks();
  readonly seen = new UsersSeen();
  readonly touched: Touched | null;
  readonly samples = new Map<Message['type'], SinkEntry>();
  unclaimed = 0;
  readonly claimed: ClaimedEntry[] = [];
  readonly unprocessable: Unprocessable[] = [];
  rowCount = 0;
  byteCount = 0;

  constructor(from: Position, until: Position | undefined, collectsNames: boolean) {
    this.from = from;
    this.until = until;
    this.touched = collectsNames ? new Touched() : null;
  }

  add(read: Read): void {
    this.last = read.record;
    if (isEntry(read)) this.#addEntry(read);
    else if ('error' in read) this.unprocessable.push(read);
  }

  #addEntry(entry: SinkEntry): void {
    const { message, rows } = entry.content;
    for (const { count, bytes } of rows) {
      this.rowCount += count;
      this.byteCount += bytes.length;
    }
    if (isClaimed(entry)) {
      this.claimed.push(entry);
      return;
    }
    this.chunks.addAll(rows);
    this.seen.see(message);
    this.touched?.add(message);
    this.unclaimed++;
    if (rows.length > 0 && !this.samples.has(message.type)) this.samples.set(message.type, entry);
  }
}

/** Collects what is read until an insert takes it out. No I/O. */
export class Batch {
  readonly #open = new Map<string, PartitionBuffer>();
  readonly #collectsNames: () => boolean;
  #repeats: PartitionBuffer[] = [];
  /** What was wanted when the first record that it has was read. */
  wanted: WantedMessages | undefined;

  /** @param collectsNames Whether the names of what is read are collected, asked when a partition is begun. */
  constructor(collectsNames: () => boolean = () => false) {
    this.#collectsNames = collectsNames;
  }

  /** Starts a partition, perhaps again, at this position. `until`: the end of a plan from here that is to be repeated. */
  begin(position: Position, until?: Position): void {
    this.#open.set(nameOf(position), new PartitionBuffer(position, until, this.#collectsNames()));
  }

  /**
   * Adds a record that was read: an entry, an unprocessable one, or one to be skipped. A record of a partition that was
   * not begun is ignored, since it is redelivered.
   *
   * @throws TidemarkError `LOG_REPLACED` if the log lacks the last record of a plan that is to be repeated.
   */
  add(read: Read): void {
    const buffer = this.#open.get(nameOf(read));
    if (buffer === undefined) return;
    const { until } = buffer;
    if (until && read.record.offset >= until.offset) throw replaced(until);
    buffer.add(read);
    if (until && read.record.offset + 1n === until.offset) this.#complete(buffer, until);
  }

  get rowCount(): number {
    return this.#all().reduce((sum, buffer) => sum + buffer.rowCount, 0);
  }

  /** The length of all rows. */
  get byteCount(): number {
    return this.#all().reduce((sum, buffer) => sum + buffer.byteCount, 0);
  }

  /** Whether `take` would return undefined. */
  get isEmpty(): boolean {
    return this.#repeats.length === 0 && this.#fresh().length === 0;
  }

  /** Takes out what the next insert covers: first the plans to be repeated, once completely read; then everything else. */
  take(): InsertBatch | undefined {
    const isRepeat = this.#repeats.length > 0;
    const drained = isRepeat ? this.#repeats : this.#fresh();
    if (drained.length === 0) return undefined;
    // The last record of a plan may be blank since: the plan keeps the position that it was stored with.
    const steps = drained.map(({ from, until, last }) => ({
      from,
      to: until ?? (last ? positionAfter(from, last) : from),
    }));
    if (isRepeat) this.#repeats = [];
    else for (const { to } of steps) this.begin(to);
    return {
      isRepeat,
      steps,
      wanted: this.wanted,
      users: drained.map(({ seen, touched }) => ({ seen, touched })),
      rows: joinRows(drained.map(({ chunks }) => chunks.rows())),
      unclaimed: drained.reduce((sum, { unclaimed }) => sum + unclaimed, 0),
      samples: drained.flatMap(({ samples }) => [...samples.values()]),
      claimed: drained.flatMap(({ claimed }) => claimed),
      unprocessable: drained.flatMap(({ unprocessable }) => unprocessable),
    };
  }

  #all(): PartitionBuffer[] {
    return [...this.#open.values(), ...this.#repeats];
  }

  #fresh(): PartitionBuffer[] {
    return [...this.#open.values()].filter(({ last, until }) => last !== undefined && until === undefined);
  }

  #complete(repeat: PartitionBuffer, until: Position): void {
    const { last } = repeat;
    if (last && !isBlank(last) && positionAfter(until, last).identity !== until.identity) throw replaced(until);
    this.#repeats.push(repeat);
    this.begin(until);
  }
}

export function isEntry(read: Read): read is SinkEntry {
  return 'content' in read && read.content !== undefined;
}

function isClaimed(entry: SinkEntry): entry is ClaimedEntry {
  return entry.claim !== undefined;
}

function replaced({ topic, partition, offset }: Position): TidemarkError {
  return new TidemarkError(
    'LOG_REPLACED',
    `${topic}/${partition} does not hold the record before offset ${offset} that was planned to be inserted`,
  );
}
