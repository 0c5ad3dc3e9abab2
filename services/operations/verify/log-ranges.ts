import { countOf, deletedRecords } from '../../event-log/deleted-records.ts';
import type { EventLog, ScanRange, TopicPartition } from '../../event-log/event-log.ts';
import { MESSAGE_TOPICS, type Micros } from '../../messages/message.ts';
import type { VerificationReport } from '../../../schemas/verification-report.ts';

// For fewer records than this, reading those that are too old is faster than a binary search for their end.
const WORTH_A_SEARCH = 5_000n;

/** A partition from its beginning to its current end. */
export async function wholeRanges(
  log: Pick<EventLog, 'beginnings' | 'ends'>,
  topics: readonly string[],
): Promise<readonly ScanRange[]> {
  const [beginnings, ends] = await Promise.all([log.beginnings(topics), log.ends(topics)]);
  return ends.map(({ topic, partition, offset: to }) => {
    const begins = beginnings.find((one) => one.topic === topic && one.partition === partition);
    return { topic, partition, from: begins?.offset ?? 0n, to };
  });
}

export async function deletedFromLog(
  log: Pick<EventLog, 'beginnings'>,
): Promise<VerificationReport['deleted_from_log']> {
  const partitions = await deletedRecords(log, MESSAGE_TOPICS);
  return { records: countOf(partitions), partitions };
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
