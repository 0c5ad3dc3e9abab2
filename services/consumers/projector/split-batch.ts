import type { PartitionRecords } from '../../event-log/event-log.ts';
import type { Decoded } from '../decode-batch.ts';

/** Records, and those of them that were decoded and are to be written. */
export interface DecodedPart<T> {
  readonly batch: readonly PartitionRecords[];
  readonly decoded: readonly Decoded<T>[];
}

/** Cuts a batch into parts of at most so many records, each partition's in order. */
export function splitBySize(
  batch: readonly PartitionRecords[],
  most: number,
): readonly (readonly PartitionRecords[])[] {
  const parts: PartitionRecords[][] = [];
  let room = 0;
  for (const { topic, partition, records } of batch) {
    for (let from = 0; from < records.length;) {
      if (room === 0) {
        parts.push([]);
        room = most;
      }
      const added = records.slice(from, from + room);
      parts.at(-1)?.push({ topic, partition, records: added });
      from += added.length;
      room -= added.length;
    }
  }
  return parts;
}

/**
 * Cuts a batch of two decoded records or more in half; the first half is to be written before the second. Every record of
 * the batch is in one of them, so that positions also move past records that were not decoded.
 */
export function splitInHalf<T>({ batch, decoded }: DecodedPart<T>): readonly DecodedPart<T>[] {
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
