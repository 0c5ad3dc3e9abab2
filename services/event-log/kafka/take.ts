import type { LogRecord, PartitionRecords, PollOptions } from '../event-log.ts';
import { type Fetches, type Place, weightOf } from './fetches.ts';

/** Records of all places that have some, about evenly; who was served first is served last the next time. */
export function take(
  { places }: Pick<Fetches, 'places'>,
  { maxRecords, maxBytes }: Pick<PollOptions, 'maxRecords' | 'maxBytes'>,
): readonly PartitionRecords[] {
  const waiting = places.filter(({ buffer }) => buffer.length > 0);
  const found: PartitionRecords[] = [];
  let records = Math.max(1, maxRecords);
  let bytes = maxBytes;
  for (const [i, place] of waiting.entries()) {
    const sharers = waiting.length - i;
    const share = { records: Math.ceil(records / sharers), bytes: Math.ceil(bytes / sharers) };
    const [taken, takenBytes] = takeFrom(place, share, found.length === 0);
    records -= taken.length;
    bytes -= takenBytes;
    if (taken.length > 0) found.push({ topic: place.topic, partition: place.partition, records: taken });
    if (records <= 0) break;
  }
  const [served] = waiting;
  if (served !== undefined) places.push(...places.splice(0, places.indexOf(served) + 1));
  return found;
}

function takeFrom(
  place: Place,
  share: { readonly records: number; readonly bytes: number },
  atLeastOne: boolean,
): readonly [LogRecord[], number] {
  let count = 0;
  let bytes = 0;
  for (const record of place.buffer) {
    const size = record.key.byteLength + record.value.byteLength;
    const isFree = atLeastOne && count === 0;
    if (!isFree && (count >= share.records || bytes + size > share.bytes)) break;
    bytes += size;
    count++;
  }
  const taken = place.buffer.splice(0, count);
  for (const record of taken) place.bufferedBytes -= weightOf(record);
  return [taken, bytes];
}
