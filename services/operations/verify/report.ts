import type {
  Finding,
  HourReport,
  NamedMessage,
  StoreName,
  VerificationReport,
} from '../../../schemas/verification-report.ts';
import { beginningOfHour, type Hour } from '../../messages/day-and-hour.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { cellOf, type Checkpoints, partitionNamed } from './checkpoints.ts';
import { type ComparedCell, lackInPostgres } from './compare.ts';
import { identityOf, type Located } from './log-cells.ts';

/** How many messages of a cell are missing in analytics, and how many rows have no message. */
export interface RowFault {
  missing: number;
  surplus: number;
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
  const found = sum((cell) => cell.counted);
  const uncounted = sum(lackInPostgres);
  return {
    project: log.projectId,
    hour: firstInstantOf(log.hour),
    messages: sum((cell) => cell.log.messages),
    repeats: sum((cell) => cell.log.repeats),
    postgres: { expected: found + uncounted, found },
    clickhouse: { expected: stored + lack, found: stored },
    not_yet: byStore('notYet'),
    unknown: byStore('unknown'),
    dead_letters: byStore('deadLettered'),
    forgotten: sum((cell) => cell.log.forgotten),
    equal: cells.every((cell) => lackInPostgres(cell) === 0) && rowFaults.length === 0,
  };
}

/** As text. */
export function firstInstantOf(hour: Hour): string {
  return formatMicros(beginningOfHour(hour));
}

/** How many messages fewer, and how many more, the projector counted than are in the log. */
export function countFaults(cells: readonly ComparedCell[]): { readonly missing: number; readonly surplus: number } {
  let [missing, surplus] = [0, 0];
  for (const lack of cells.map(lackInPostgres)) {
    missing += Math.max(0, lack);
    surplus += Math.max(0, -lack);
  }
  return { missing, surplus };
}

export function unknownBefore({ checked }: Checkpoints): VerificationReport['unknown_before'] {
  const of = (store: StoreName, reader: keyof Checkpoints['checked']) =>
    [...checked[reader]]
      .filter(([, { from }]) => from > 0n)
      .map(([place, { from }]) => ({ store, ...partitionNamed(place), offset: String(from) }));
  return [...of('postgres', 'projector'), ...of('clickhouse', 'sink')];
}

/** What a finding says of a record whose message nobody knows. */
export const UNKNOWN_MESSAGE = { project: null, message_id: null, user: null, received_at: null };

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
