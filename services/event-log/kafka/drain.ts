import type { LogRecord, PartitionRecords, PollOptions } from '../event-log.ts';
import { isAmong } from '../partition.ts';
import { type Fetches, type PartitionBuffer, weightOf } from './fetches.ts';

/** Takes records from all buffers that have some, about evenly. The buffer served first comes last the next time. */
export function drain(
  { buffers }: Pick<Fetches, 'buffers'>,
  { maxRecords, maxBytes, of }: Pick<PollOptions, 'maxRecords' | 'maxBytes' | 'of'>,
): readonly PartitionRecords[] {
  const waiting = buffers.filter((buffer) => buffer.records.length > 0 && isAmong(of, buffer));
  const found: PartitionRecords[] = [];
  let records = Math.max(1, maxRecords);
  let bytes = maxBytes;
  for (const [i, buffer] of waiting.entries()) {
    const sharers = waiting.length - i;
    const share = { records: Math.ceil(records / sharers), bytes: Math.ceil(bytes / sharers) };
    const [drained, drainedBytes] = drainBuffer(buffer, share, found.length === 0);
    records -= drained.length;
    bytes -= drainedBytes;
    if (drained.length > 0) found.push({ topic: buffer.topic, partition: buffer.partition, records: drained });
    if (records <= 0) break;
  }
  const [served] = waiting;
  if (served !== undefined) buffers.push(...buffers.splice(0, buffers.indexOf(served) + 1));
  return found;
}

function drainBuffer(
  buffer: PartitionBuffer,
  share: { readonly records: number; readonly bytes: number },
  atLeastOne: boolean,
): readonly [LogRecord[], number] {
  let count = 0;
  let bytes = 0;
  for (const record of buffer.records) {
    const size = record.key.byteLength + record.value.byteLength;
    const isFree = atLeastOne && count === 0;
    if (!isFree && (count >= share.records || bytes + size > share.bytes)) break;
    bytes += size;
    count++;
  }
  const drained = buffer.records.splice(0, count);
  for (const record of drained) buffer.bufferedBytes -= weightOf(record);
  return [drained, bytes];
}
