import type { PartitionRecords } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import type { SettledOffsets } from '../../stores/profiles/unstored-messages.ts';
import { decodeEach, type LocatedRecord } from '../decode-batch.ts';
import type { WantedMessages } from '../wanted-messages.ts';
import type { Copied, Read } from './batch.ts';
import { rowsOf } from './row.ts';

/**
 * Decodes records, whose schemas are loaded already, makes their rows, and passes each to `take` in the order of the log.
 * A record that is not wanted has no content, nor has a blank one; an event that is not kept has no rows; a record that is
 * settled has no error. Yields to the event loop
 * every 2 ms.
 */
export function readEntries(
  codec: Pick<Codec, 'decode'>,
  records: readonly PartitionRecords[],
  wanted: WantedMessages | undefined,
  take: (read: Read) => void,
  settled?: SettledOffsets,
): Promise<void> {
  const copied = (message: Message, { topic, partition, record }: LocatedRecord): Copied | undefined => {
    if (wanted?.has(message) === false) return undefined;
    if (wanted?.keeps(message) === false) return { message, rows: [] };
    return { message, rows: rowsOf(message, { topic, partition, offset: record.offset }) };
  };
  const pass = (blank: LocatedRecord): void => take({ ...blank, content: undefined, claim: undefined });
  return decodeEach(codec, records, copied, take, { settled, pass });
}
