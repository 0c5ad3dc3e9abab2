import { countOf, deletedRecords, wholeRanges } from '../../event-log/deleted-records.ts';
import type { EventLog, LogCoordinates, ScanRange, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { type Hour, hourOf } from '../../messages/day-and-hour.ts';
import { MESSAGE_TOPICS, type Micros } from '../../messages/message.ts';
import type { Queryable } from '../../stores/database/database.ts';
import type { VerificationReport } from '../../../schemas/verification-report.ts';

// For fewer records than this, reading those that are too old is faster than a binary search for their end.
const WORTH_A_SEARCH = 5_000n;

export async function deletedFromLog(
  log: Pick<EventLog, 'beginnings'>,
): Promise<VerificationReport['deleted_from_log']> {
  const partitions = await deletedRecords(log, MESSAGE_TOPICS);
  return { records: countOf(partitions), partitions };
}

/** Where messages are that may have been appended at this instant or later; all of them without one. */
export async function messageRanges(
  log: Pick<EventLog, 'beginnings' | 'ends' | 'scan'>,
  since: Micros | undefined,
  marginMs: number,
): Promise<readonly ScanRange[]> {
  const whole = await wholeRanges(log, MESSAGE_TOPICS);
  return since === undefined ? whole : rangesSince(log, whole, since, marginMs);
}

/**
 * The part of each range that may have been appended at this instant or later, found by binary search: the log is in
 * the order of its own clock, except for `marginMs`.
 */
export async function rangesSince(
  log: Pick<EventLog, 'scan'>,
  ranges: readonly ScanRange[],
  instant: Micros,
  marginMs: number,
): Promise<readonly ScanRange[]> {
  const sinceMs = Number(instant / 1000n) - marginMs;
  return Promise.all(ranges.map((range) => rangeSince(log, range, sinceMs)));
}

async function rangeSince(log: Pick<EventLog, 'scan'>, range: ScanRange, sinceMs: number): Promise<ScanRange> {
  let { from: low, to: high } = range;
  while (high - low > WORTH_A_SEARCH) {
    const middle = (low + high) / 2n;
    if ((await appendedAtMs(log, range, middle, high)) < sinceMs) low = middle;
    else high = middle;
  }
  return { ...range, from: low };
}

/** The append time of the first record from this offset on; infinite if no record follows. */
async function appendedAtMs(
  log: Pick<EventLog, 'scan'>,
  { topic, partition }: TopicPartition,
  from: bigint,
  to: bigint,
): Promise<number> {
  for await (const { records } of log.scan([{ topic, partition, from, to }], { maxRecords: 1 })) {
    const [first] = records;
    if (first !== undefined) return first.appendedAtMs;
  }
  return Infinity;
}

/** The hour in which the log was cut, and a margin for clocks that differ. */
const MARGIN_HOURS = 2;

/** @param before The log stored all that may be deleted before this instant. */
export async function noteCut(database: Queryable, cut: readonly LogCoordinates[], before: Micros): Promise<void> {
  await database.query(
    `insert into log_cuts as known (topic, partition, cut_at, before_us)
     select topic, partition, cut_at, $4::int8 from unnest($1::text[], $2::int4[], $3::int8[]) as cut (topic, partition, cut_at)
     on conflict (topic, partition) do update
     set cut_at = greatest(known.cut_at, excluded.cut_at), before_us = greatest(known.before_us, excluded.before_us)`,
    [cut.map(({ topic }) => topic), cut.map(({ partition }) => partition), cut.map(({ offset }) => offset), before],
  );
}

/** Cells whose messages are all on the log, and those of which the log may lack some. */
export async function groupByLog<T extends { readonly log: TopicPartition & { readonly hour: Hour } }>(
  database: Queryable,
  cells: readonly T[],
): Promise<Partial<Record<'onLog' | 'cut', T[]>>> {
  const first = await readFirstHours(database);
  return Object.groupBy(cells, ({ log }) => (log.hour >= (first.get(nameOf(log)) ?? -Infinity) ? 'onLog' : 'cut'));
}

async function readFirstHours(database: Queryable): Promise<ReadonlyMap<string, Hour>> {
  const rows = await database.query<TopicPartition & { readonly before: Micros }>(
    'select topic, partition, before_us as before from log_cuts where cut_at > 0',
  );
  return new Map(rows.map((row) => [nameOf(row), hourOf(row.before) + MARGIN_HOURS]));
}
