import type { EventLog, ScanRange } from './event-log.ts';
import { nameOf } from './partition.ts';

/**
 * How many records were deleted from the beginning of each partition, by retention or by hand, by `topic/partition`. No
 * member where none was: a log begins at 0.
 */
export async function deletedRecords(
  log: Pick<EventLog, 'beginnings'>,
  topics: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const cut = (await log.beginnings(topics)).filter(({ offset }) => offset > 0n);
  return Object.fromEntries(cut.map((one) => [nameOf(one), Number(one.offset)]));
}

export function countOf(deleted: Readonly<Record<string, number>>): number {
  return Object.values(deleted).reduce((sum, records) => sum + records, 0);
}

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
