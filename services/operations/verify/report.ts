import type { TopicPartition } from '../../event-log/event-log.ts';
import { beginningOfHour } from '../../messages/day-and-hour.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { cellOf, type Checkpoints } from './checkpoints.ts';
import type { ComparedCell } from './compare.ts';
import { identityOf, type Located } from './log-cells.ts';

/** The result of a verification, as plain JSON. */

type ByStore = Readonly<Record<StoreName, number>>;

/** One project in one hour. */
export interface HourReport {
  readonly project: string;
  /** Its first instant. */
  readonly hour: string;
  /** Messages in the log, each counted once. */
  readonly messages: number;
  /** Copies of earlier messages in the log. */
  readonly repeats: number;
  /** Messages and repeats that Postgres should have counted, and has. */
  readonly postgres: { readonly expected: number; readonly found: number };
  /** Messages that ClickHouse should have, and has. */
  readonly clickhouse: { readonly expected: number; readonly found: number };
  /** Messages beyond the position of the reader. These are no faults. */
  readonly not_yet: ByStore;
  /** Messages from before the store kept the data that verification needs. */
  readonly unknown: ByStore;
  readonly dead_letters: ByStore;
  readonly equal: boolean;
}

export interface VerificationReport {
  readonly equal: boolean;
  readonly since: string | null;
  readonly until: string | null;
  readonly project: string | null;
  readonly records_read: number;
  readonly took_ms: number;
  readonly hours: readonly HourReport[];
  /** Records that are not valid messages and are in the dead letters. */
  readonly undecodable: number;
  /** Messages of projects that were deleted: in the log until its retention ends, and in no store. */
  readonly skipped: number;
  /** Records gone from the beginning of the log, and of each partition by `topic/partition`: nothing is known of them. */
  readonly deleted_from_log: { readonly records: number; readonly partitions: Readonly<Record<string, number>> };
  /** Messages of projects that the database does not have, so that no key opens them, and the first of those projects. */
  readonly unknown_projects: { readonly messages: number; readonly projects: readonly string[] };
  /**
   * Messages missing in the store. For Postgres, `uncounted` is the number of messages by which its count is too low,
   * including those that could not be identified.
   */
  readonly missing: { readonly postgres: Finding & { readonly uncounted: number }; readonly clickhouse: Finding };
  /**
   * Messages in the store but not in the log: those counted too often in Postgres, and rows without a message in
   * ClickHouse.
   */
  readonly surplus: { readonly postgres: number; readonly clickhouse: Finding };
  /** The offset of each partition below which nothing is known. */
  readonly unknown_before: readonly {
    readonly store: StoreName;
    readonly topic: string;
    readonly partition: number;
    readonly offset: string;
  }[];
  /** Present if profiles were compared by content. */
  readonly profiles: ProfileFinding | null;
}

/** How many messages of a cell are missing in analytics, and how many rows have no message. */
export interface RowFault {
  missing: number;
  surplus: number;
}

export interface ProfileFinding {
  readonly users: number;
  /**
   * Users whose profile cannot be told from the log: a copy of a message came after the window of repeats, or the
   * projector is just writing messages of theirs.
   */
  readonly undecided: number;
  readonly different: { readonly count: number; readonly first: readonly DifferentProfile[] };
}

export interface DifferentProfile {
  readonly project: string;
  readonly user: string;
  readonly why: string;
}

/** By project and hour, in order. @param faults In ClickHouse, by cell: only cells that were looked into have any. */
export function hoursOf(cells: readonly ComparedCell[], faults: ReadonlyMap<string, RowFault>): readonly HourReport[] {
  const byHour = Map.groupBy(cells, ({ log }) => `${log.projectId}/${log.hour}`);
  return [...byHour.values()].toSorted(([a], [b]) => order(a, b)).map((some) => hourOf(some, faults));
}

function order(a?: ComparedCell, b?: ComparedCell): number {
  if (a === undefined || b === undefined) return 0;
  if (a.log.projectId !== b.log.projectId) return a.log.projectId < b.log.projectId ? -1 : 1;
  return a.log.hour - b.log.hour;
}

function hourOf(cells: readonly ComparedCell[], faults: ReadonlyMap<string, RowFault>): HourReport {
  const [{ log }] = cells as [ComparedCell];
  const sum = (of: (cell: ComparedCell) => number): number => cells.reduce((total, cell) => total + of(cell), 0);
  const byStore = (name: 'notYet' | 'unknown' | 'deadLettered') => ({
    postgres: sum((cell) => cell.log[name].postgres),
    clickhouse: sum((cell) => cell.log[name].clickhouse),
  });
  const rowFaults = cells.flatMap((cell) => faults.get(cellOf(cell.log)) ?? []);
  const lack = rowFaults.reduce((total, { missing, surplus }) => total + missing - surplus, 0);
  const stored = sum((cell) => cell.held);
  const isCounted = cells.every((cell) => cell.counted === cell.log.toCount);
  return {
    project: log.projectId,
    hour: formatMicros(beginningOfHour(log.hour)),
    messages: sum((cell) => cell.log.messages),
    repeats: sum((cell) => cell.log.repeats),
    postgres: { expected: sum((cell) => cell.log.toCount), found: sum((cell) => cell.counted) },
    clickhouse: { expected: stored + lack, found: stored },
    not_yet: byStore('notYet'),
    unknown: byStore('unknown'),
    dead_letters: byStore('deadLettered'),
    equal: isCounted && rowFaults.length === 0,
  };
}

/** How many messages fewer, and how many more, the projector counted than are in the log. */
export function countFaults(cells: readonly ComparedCell[]): { readonly missing: number; readonly surplus: number } {
  let [missing, surplus] = [0, 0];
  for (const { counted, log } of cells) {
    missing += Math.max(0, log.toCount - counted);
    surplus += Math.max(0, counted - log.toCount);
  }
  return { missing, surplus };
}

export function unknownBefore({ checked }: Checkpoints): VerificationReport['unknown_before'] {
  const of = (store: StoreName, reader: keyof Checkpoints['checked']) =>
    [...checked[reader]]
      .filter(([, { from }]) => from > 0n)
      .map(([place, { from }]) => ({ store, ...partitionOf(place), offset: String(from) }));
  return [...of('postgres', 'projector'), ...of('clickhouse', 'sink')];
}

export function partitionOf(place: string): TopicPartition {
  const cut = place.lastIndexOf('/');
  return { topic: place.slice(0, cut), partition: Number(place.slice(cut + 1)) };
}

export type StoreName = 'postgres' | 'clickhouse';

/** A message that is missing in a store, or is there without being in the log. Plain JSON. */
export interface NamedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Null if the record cannot be decoded, or the log has no record there. */
  readonly project: string | null;
  readonly message_id: string | null;
  /** The internal id. */
  readonly user: string | null;
  readonly received_at: string | null;
  readonly why: string;
}

/** How many there are, and the first of them. */
export interface Finding {
  readonly count: number;
  readonly first: readonly NamedMessage[];
}

export const MAX_NAMED = 100;
// Missing messages are remembered, so that their repeats are not reported as well.
const MAX_REMEMBERED = 100_000;

/** Counts messages, and keeps the first ones. */
export class Findings {
  readonly #first: NamedMessage[] = [];
  readonly #identities = new Set<string>();
  #count = 0;

  add(message: NamedMessage): void {
    this.#count++;
    if (this.#first.length < MAX_NAMED) this.#first.push(message);
  }

  /** Adds the message unless it repeats an added one. Returns whether it was added. */
  addMessage(located: Located, why: string): boolean {
    const identity = identityOf(located);
    if (this.#identities.has(identity)) return false;
    if (this.#identities.size < MAX_REMEMBERED) this.#identities.add(identity);
    this.add(namedMessage(located, why));
    return true;
  }

  get count(): number {
    return this.#count;
  }

  result(): Finding {
    return { count: this.#count, first: this.#first };
  }
}

function namedMessage({ topic, partition, record, content }: Located, why: string): NamedMessage {
  return {
    topic,
    partition,
    offset: String(record.offset),
    project: content.projectId,
    message_id: content.messageId,
    user: content.userKey,
    received_at: formatMicros(content.receivedAt),
    why,
  };
}
