import type { EventLog } from './event-log.ts';
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
