import type { Rows } from '../../stores/analytics/analytics-store.ts';
import type { LogRecord, Position } from '../../event-log/event-log.ts';
import { positionAfter } from '../../event-log/identity.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Message } from '../../messages/message.ts';
import type { Claim, ReaderStep } from '../../stores/profiles/profile-store.ts';
import type { Unprocessable } from '../dead-letters.ts';
import type { Decoded } from '../decode-batch.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { joinRows, RowChunks } from './row-chunks.ts';
import type { Row } from './row.ts';
import { UsersSeen } from './users-seen.ts';

/** What is copied of a message. */
export interface Copied {
  readonly message: Message;
  /** The number of its user. */
  readonly user: string;
  readonly rows: readonly Row[];
}

export type Entry = Decoded<Copied>;

/** A message that makes its rows only if it is the first of its identity. */
export interface ClaimedEntry extends Entry {
  readonly claim: Claim;
}

/** A record as it was read; of one whose message is of no project that is copied, the place alone. */
export type Read = Decoded<Copied | undefined> | Unprocessable;

/** What one insert is to cover. */
export interface Portion {
  /** Whether these steps are fixed already. */
  readonly isRepeat: boolean;
  readonly steps: readonly ReaderStep[];
  // Not the messages themselves: what lives for a second is what the garbage collector spends its time on.
  /** Of what counts in any case: its rows, whom it names, and how many messages it is. */
  readonly rows: Rows;
  readonly seen: readonly UsersSeen[];
  readonly unclaimed: number;
  /** Of each type of these one. */
  readonly samples: readonly Entry[];
  readonly claimed: readonly ClaimedEntry[];
  readonly unprocessable: readonly Unprocessable[];
}

/** What was read of one partition, record after record. */
class Stretch {
  readonly from: Position;
  /** Where it has to end: it repeats a plan that was fixed before. */
  readonly until: Position | undefined;
  last: LogRecord | undefined;
  readonly chunks = new RowChunks();
  readonly seen = new UsersSeen();
  readonly samples = new Map<Message['type'], Entry>();
  unclaimed = 0;
  readonly claimed: ClaimedEntry[] = [];
  readonly unprocessable: Unprocessable[] = [];
  rowCount = 0;
  chars = 0;

  constructor(from: Position, until?: Position) {
    this.from = from;
    this.until = until;
  }

  add(read: Read): void {
    this.last = read.record;
    if (isEntry(read)) this.#addEntry(read);
    else if ('error' in read) this.unprocessable.push(read);
  }

  #addEntry(entry: Entry): void {
    const { message, user, rows } = entry.content;
    this.rowCount += rows.length;
    for (const [, line] of rows) this.chars += line.length;
    if (isClaimed(entry)) {
      this.claimed.push(entry);
      return;
    }
    this.chunks.addAll(rows);
    this.seen.see(message, user);
    this.unclaimed++;
    if (!this.samples.has(message.type)) this.samples.set(message.type, entry);
  }
}

/** Collects what is read until it is taken out for an insert. No I/O. */
export class Batch {
  readonly #open = new Map<string, Stretch>();
  #repeats: Stretch[] = [];

  /** Starts a partition (anew) at this position; `until`: a plan from here to there is fixed and to be repeated. */
  begin(position: Position, until?: Position): void {
    this.#open.set(nameOf(position), new Stretch(position, until));
  }

  /**
   * Adds a record that was read, as an entry, as unprocessable or to be passed over. One of a partition not begun is left out:
   * it comes again.
   *
   * @throws TidemarkError `LOG_REPLACED` where the log does not hold the last record of a plan to be repeated.
   */
  add(read: Read): void {
    const stretch = this.#open.get(nameOf(read));
    if (stretch === undefined) return;
    const { until } = stretch;
    if (until && read.record.offset >= until.offset) throw replaced(until);
    stretch.add(read);
    if (until && read.record.offset + 1n === until.offset) this.#complete(stretch, until);
  }

  get rowCount(): number {
    return this.#all().reduce((sum, stretch) => sum + stretch.rowCount, 0);
  }

  /** How long the rows are in all. */
  get chars(): number {
    return this.#all().reduce((sum, stretch) => sum + stretch.chars, 0);
  }

  /** Whether `take` would give nothing. */
  get isEmpty(): boolean {
    return this.#repeats.length === 0 && this.#fresh().length === 0;
  }

  /** Takes out what the next insert covers: first the plans to be repeated, once read whole; then everything else. */
  take(): Portion | undefined {
    const isRepeat = this.#repeats.length > 0;
    const taken = isRepeat ? this.#repeats : this.#fresh();
    if (taken.length === 0) return undefined;
    const steps = taken.map(({ from, last }) => ({ from, to: last ? positionAfter(from, last) : from }));
    if (isRepeat) this.#repeats = [];
    else for (const { to } of steps) this.begin(to);
    return {
      isRepeat,
      steps,
      seen: taken.map(({ seen }) => seen),
      rows: joinRows(taken.map(({ chunks }) => chunks.rows())),
      unclaimed: taken.reduce((sum, { unclaimed }) => sum + unclaimed, 0),
      samples: taken.flatMap(({ samples }) => [...samples.values()]),
      claimed: taken.flatMap(({ claimed }) => claimed),
      unprocessable: taken.flatMap(({ unprocessable }) => unprocessable),
    };
  }

  #all(): Stretch[] {
    return [...this.#open.values(), ...this.#repeats];
  }

  #fresh(): Stretch[] {
    return [...this.#open.values()].filter(({ last, until }) => last !== undefined && until === undefined);
  }

  #complete(repeat: Stretch, until: Position): void {
    if (repeat.last && positionAfter(until, repeat.last).identity !== until.identity) throw replaced(until);
    this.#repeats.push(repeat);
    this.begin(until);
  }
}

export function isEntry(read: Read): read is Entry {
  return 'content' in read && read.content !== undefined;
}

function isClaimed(entry: Entry): entry is ClaimedEntry {
  return entry.claim !== undefined;
}

function replaced({ topic, partition, offset }: Position): TidemarkError {
  return new TidemarkError(
    'LOG_REPLACED',
    `${topic}/${partition} does not hold the record before offset ${offset} that was planned to be inserted`,
  );
}
