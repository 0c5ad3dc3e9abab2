import type { PartitionRecords } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import { decodeEach, type RecordPlace } from '../decode-batch.ts';
import type { Copied, Read } from './batch.ts';
import { rowsOf } from './row.ts';

/**
 * Decodes records, whose schemas are at hand, makes their rows and hands over each in the order of the log; what cannot
 * be read is unprocessable; of other projects than `projectId`, where it is given, only the place remains. Lets go of the
 * thread every 2 ms.
 */
export function readEntries(
  codec: Pick<Codec, 'decode'>,
  records: readonly PartitionRecords[],
  projectId: string | undefined,
  take: (read: Read) => void,
): Promise<void> {
  const copied = (message: Message, { topic, partition, record }: RecordPlace): Copied | undefined => {
    if (projectId !== undefined && message.projectId !== projectId) return undefined;
    const user = userNumber(message.userKey);
    return { message, user, rows: rowsOf(message, user, { topic, partition, offset: record.offset }) };
  };
  return decodeEach(codec, records, copied, take);
}
