import type { PartitionRecords } from '../event-log/event-log.ts';
import type { Decoded } from './decode-batch.ts';

export interface Half<T> {
  readonly batch: readonly PartitionRecords[];
  readonly decoded: readonly Decoded<T>[];
}

/**
 * A batch of two decoded records or more in two: the first is to be written before the second. Every record of the
 * batch is in one of them, so that positions move past those that were not decoded too.
 */
export function halves<T>(batch: readonly PartitionRecords[], decoded: readonly Decoded<T>[]): readonly Half<T>[] {
  const middle = Math.floor(decoded.length / 2);
  const cut = decoded[middle];
  if (cut === undefined) return [{ batch, decoded }];
  const at = batch.findIndex(({ topic, partition }) => topic === cut.topic && partition === cut.partition);
  const [before, after] = splitPartition(batch[at] as PartitionRecords, cut.record.offset);
  return [
    { batch: [...batch.slice(0, at), ...before], decoded: decoded.slice(0, middle) },
    { batch: [...after, ...batch.slice(at + 1)], decoded: decoded.slice(middle) },
  ];
}

function splitPartition(
  partition: PartitionRecords,
  offset: bigint,
): readonly [PartitionRecords[], PartitionRecords[]] {
  const before = partition.records.filter((record) => record.offset < offset);
  const after = partition.records.filter((record) => record.offset >= offset);
  return [before.length > 0 ? [{ ...partition, records: before }] : [], [{ ...partition, records: after }]];
}
