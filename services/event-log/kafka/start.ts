import type { Position, TopicPartition } from '../event-log.ts';
import { replaced } from '../refusals.ts';

/** Where a partition's records begin and end now: the first offset that is held, and the next to be given. */
export interface Bounds {
  readonly earliest: bigint;
  readonly latest: bigint;
}

/** Where to fetch from. */
export interface FetchStart extends TopicPartition {
  readonly from: bigint;
  /** The record at `from` must be there and be this one; it was read before and is not delivered. */
  readonly identity?: string;
  /** Where to stop, without it; undefined for never. */
  readonly to?: bigint;
}

/**
 * How to take up a partition at a position, so that nothing is skipped and no other log is taken for this one. Reading
 * begins at the record before the position, whose identity the reader compares. What can be there instead:
 *
 * - the offset is past the end, or an offset above 0 comes without an identity: not this log's position.
 * - what follows the position is gone (retention, records deleted): records were lost to this reader.
 * - only the record before it is gone, so that the log begins exactly at the position: nothing is lost, and nothing is
 *   left to compare. It is taken up: records were deleted up to where the reader stood.
 * - a gap where the record before stood: it was compacted away, or the log is another one. The reader finds another
 *   offset there than the one it began at, and stops.
 *
 * @throws TidemarkError `LOG_REPLACED`.
 */
export function entryAt(position: Position, { earliest, latest }: Bounds): FetchStart {
  const { topic, partition, offset, identity } = position;
  if (offset === 0n && identity === '') return { topic, partition, from: earliest };
  if (identity === '') throw replaced(position, 'it names no record');
  if (offset > latest) throw replaced(position, `the log ends at ${latest}`);
  if (offset < earliest) throw replaced(position, `what follows is gone, the log begins at ${earliest}`);
  if (offset === earliest) return { topic, partition, from: offset };
  return { topic, partition, from: offset - 1n, identity };
}
