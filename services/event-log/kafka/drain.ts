import type { LogRecord, PartitionRecords, PollOptions } from '../event-log.ts';
import { isAmong } from '../partition.ts';
import { type Share, takeEvenly } from '../take-evenly.ts';
import { type Fetches, type PartitionBuffer, weightOf } from './fetches.ts';

/** Takes records from all buffers that have some. */
export function drain(
  { buffers }: Pick<Fetches, 'buffers'>,
  { of, ...limits }: Pick<PollOptions, 'maxRecords' | 'maxBytes' | 'of'>,
): readonly PartitionRecords[] {
  const waiting = buffers.filter((buffer) => buffer.records.length > 0 && isAmong(of, buffer));
  return takeEvenly(buffers, waiting, limits, drainBuffer);
}

function drainBuffer(buffer: PartitionBuffer, share: Share): readonly [LogRecord[], number] {
  let count = 0;
  let bytes = 0;
  for (const record of buffer.records) {
    const size = record.key.byteLength + record.value.byteLength;
    const isFree = share.atLeastOne && count === 0;
    if (!isFree && (count >= share.records || bytes + size > share.bytes)) break;
    bytes += size;
    count++;
  }
  const drained = buffer.records.splice(0, count);
  for (const record of drained) buffer.bufferedBytes -= weightOf(record);
  return [drained, bytes];
}
