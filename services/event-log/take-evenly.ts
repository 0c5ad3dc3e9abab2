import type { LogRecord, PartitionRecords, PollOptions, TopicPartition } from './event-log.ts';

/** What one partition may give. */
export interface Share {
  readonly records: number;
  readonly bytes: number;
  /** The first record counts whatever its size. */
  readonly atLeastOne: boolean;
}

/**
 * Takes records of the partitions that have some, about evenly.
 *
 * @param all In the order in which they are served. The one that was served first comes last the next time.
 * @param waiting Those of them that may have records.
 * @param take Takes records of one, and returns them with their bytes.
 */
export function takeEvenly<T extends TopicPartition>(
  all: T[],
  waiting: readonly T[],
  { maxRecords, maxBytes }: Pick<PollOptions, 'maxRecords' | 'maxBytes'>,
  take: (one: T, share: Share) => readonly [records: readonly LogRecord[], bytes: number],
): readonly PartitionRecords[] {
  const found: PartitionRecords[] = [];
  let left = Math.max(1, maxRecords);
  let leftBytes = maxBytes;
  for (const [i, one] of waiting.entries()) {
    const sharers = waiting.length - i;
    const share = { records: Math.ceil(left / sharers), bytes: Math.ceil(leftBytes / sharers) };
    const [records, bytes] = take(one, { ...share, atLeastOne: found.length === 0 });
    left -= records.length;
    leftBytes -= bytes;
    if (records.length > 0) found.push({ topic: one.topic, partition: one.partition, records });
    if (left <= 0) break;
  }
  const [served] = waiting;
  if (served !== undefined) all.push(...all.splice(0, all.indexOf(served) + 1));
  return found;
}
