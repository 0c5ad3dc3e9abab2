import type { PartitionRecords } from '../../event-log/event-log.ts';
import type { Decoded } from '../decode-batch.ts';

/** Records, and those of them that were decoded and are to be written. */
export interface DecodedPart<T> {
  readonly batch: readonly PartitionRecords[];
  readonly decoded: readonly Decoded<T>[];
}

/** What a part of a batch may have at most: records, and bytes of those records that set traits. One record always fits. */
export interface PartLimits {
  readonly records: number;
  readonly traitBytes: number;
}

/**
 * Cuts a batch into parts, each partition's records in order.
 *
 * @param limits Asked before each part.
 */
export function* splitBySize(
  batch: readonly PartitionRecords[],
  limits: () => PartLimits,
): Generator<readonly PartitionRecords[]> {
  let part: PartitionRecords[] = [];
  let most = limits();
  let [count, traitBytes] = [0, 0];
  for (const { topic, partition, records } of batch) {
    const setsTraits = !topic.endsWith('track');
    let from = 0;
    for (const [at, { value }] of records.entries()) {
      const bytes = setsTraits ? value.length : 0;
      const isOver = bytes > 0 && traitBytes + bytes > most.traitBytes;
      if (count > 0 && (count >= most.records || isOver)) {
        if (at > from) part.push({ topic, partition, records: records.slice(from, at) });
        yield part;
        [part, from, count, traitBytes] = [[], at, 0, 0];
        most = limits();
      }
      count++;
      traitBytes += bytes;
    }
    part.push({ topic, partition, records: records.slice(from) });
  }
  if (part.length > 0) yield part;
}

// A transaction keeps readers of an embedded database waiting, and everything that comes behind it in the log.
const MOST_TRANSACTION_MS = 1_000;
const SMALLEST_SHARE = 1 / 400;

/** The limits of one transaction. */
export const MOST_IN_A_PART: PartLimits = {
  // More save little (30 bytes of position, one fsync) and keep readers of profiles waiting longer.
  records: 4_000,
  // Messages of 300 bytes fill a transaction, and ten of 9,000 traits, which take seconds.
  traitBytes: 1024 * 1024,
};

/** What share of a usual transaction the next one may be, so that none takes much longer than a second. */
export class FittingShare {
  #value = 1;

  /** The share of a limit, at least one. */
  of(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#value));
  }

  ofPart(): PartLimits {
    return { records: this.of(MOST_IN_A_PART.records), traitBytes: this.of(MOST_IN_A_PART.traitBytes) };
  }

  /** Takes over how long a transaction took. */
  note(tookMs: number): void {
    if (tookMs > MOST_TRANSACTION_MS)
      this.#value = Math.max(SMALLEST_SHARE, (this.#value * MOST_TRANSACTION_MS) / tookMs);
    else if (tookMs < MOST_TRANSACTION_MS / 2) this.#value = Math.min(1, 2 * this.#value);
  }
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
