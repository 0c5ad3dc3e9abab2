import type { Position, TopicPartition } from './event-log.ts';
import { replaced } from './refusals.ts';

/** Where a partition begins and ends now: its first offset, and the next one to be assigned. */
export interface Bounds {
  readonly earliest: bigint;
  readonly latest: bigint;
}

/** Where to read a partition from. */
export interface FetchStart extends TopicPartition {
  readonly from: bigint;
  /** Identity that the record at `from` must have. It was read before and is not delivered again. */
  readonly identity?: string;
  /** Where to stop, exclusive; undefined for never. */
  readonly to?: bigint;
}

/**
 * Where to start reading for a position, so that nothing is skipped and no other log is mistaken for this one. Reading
 * begins at the record before the position, whose identity the reader compares. The other cases:
 *
 * - The offset is past the end, or above 0 without an identity: the position does not belong to this log.
 * - The records after the position were deleted (by retention or by hand): this reader has lost records.
 * - Only the record before the position was deleted, so that the log begins exactly at the position: nothing is lost, and
 *   there is nothing to compare. Reading continues.
 * - There is a gap in place of the record before: it was compacted, or this is another log. The reader finds a different
 *   offset than the one it began at, and stops.
 *
 * @throws TidemarkError `LOG_REPLACED`.
 */
export function entryAt(position: Position, { earliest, latest }: Bounds): FetchStart {
  const { topic, partition, offset, identity } = position;
  if (offset === 0n && identity === '') return { topic, partition, from: earliest };
  if (identity === '') throw replaced(position, 'it has no identity');
  if (offset < 1n || offset > latest) throw replaced(position, `the log ends at ${latest}`);
  if (offset < earliest) throw replaced(position, `the records after it were deleted, the log begins at ${earliest}`);
  if (offset === earliest) return { topic, partition, from: offset };
  return { topic, partition, from: offset - 1n, identity };
}
