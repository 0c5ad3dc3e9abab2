import type { PartitionRecords } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Message } from '../messages/message.ts';
import type { Poison } from '../readers/dead-letters.ts';
import { decodeBatch, type Decoded } from '../readers/decode-batch.ts';
import { hasCode } from '../runtime/errors.ts';
import { Turns } from '../runtime/turns.ts';
import type { Entry, PassedOver } from './batch.ts';
import { rowsOf } from './row.ts';

/**
 * Decodes records and makes their rows; what cannot be read is poison; of other projects than `projectId`, where it is
 * given, only the place remains. Each partition's records stay in order. Lets go of the thread every 2 ms.
 *
 * @throws TidemarkError `STORE_UNAVAILABLE`, retryable, where a schema cannot be had.
 */
export async function readEntries(
  codec: Pick<Codec, 'prepare' | 'decode'>,
  records: readonly PartitionRecords[],
  projectId?: string,
): Promise<readonly (Entry | Poison | PassedOver)[]> {
  const { decoded, poison } = await decodeBatch(codec, records, (message) => message);
  const read: (Entry | Poison | PassedOver)[] = [...poison];
  const turns = new Turns();
  for (const one of decoded) {
    if (turns.isOver()) await turns.next();
    const isWanted = projectId === undefined || one.content.projectId === projectId;
    read.push(isWanted ? withRows(one) : passedOver(one));
  }
  if (poison.length === 0) return read;
  return read.sort((a, b) => (a.record.offset < b.record.offset ? -1 : 1));
}

function passedOver({ topic, partition, record }: Decoded<Message>): PassedOver {
  return { topic, partition, record };
}

function withRows(decoded: Decoded<Message>): Entry | Poison {
  try {
    return { ...decoded, rows: rowsOf(decoded.content, placeInLog(decoded)) };
  } catch (error) {
    if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
    const { topic, partition, record } = decoded;
    return { topic, partition, record, error };
  }
}

function placeInLog({ topic, partition, record }: Decoded<Message>) {
  return { topic, partition, offset: record.offset };
}
