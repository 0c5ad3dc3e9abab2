import type { LogRecord, PartitionRecords, TopicPartition } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Message } from '../messages/message.ts';
import type { Claim } from '../profiles/profile-store.ts';
import { hasCode, type TidemarkError } from '../runtime/errors.ts';
import { Turns } from '../runtime/turns.ts';
import type { Poison } from './dead-letters.ts';

/** A record with what the reader made of its message. */
export interface Decoded<T> extends TopicPartition {
  readonly record: LogRecord;
  readonly content: T;
  /** Where the message is one whose repeats must not count. */
  readonly claim: Claim | undefined;
}

export interface DecodedBatch<T> {
  /** In the order of the batch. */
  readonly decoded: readonly Decoded<T>[];
  readonly poison: readonly Poison[];
}

/**
 * Decodes every record of a batch and makes of each message what `read` makes of it; both say `MESSAGE_UNDECODABLE` of
 * a record that goes to the dead letters. Lets go of the thread every 2 ms.
 */
export async function decodeBatch<T>(
  codec: Pick<Codec, 'prepare' | 'decode'>,
  batch: readonly PartitionRecords[],
  read: (message: Message) => T,
): Promise<DecodedBatch<T>> {
  await codec.prepare(batch.flatMap(({ records }) => records.map(({ value }) => value)));
  const decoded: Decoded<T>[] = [];
  const poison: Poison[] = [];
  const turns = new Turns();
  for (const { topic, partition, records } of batch) {
    for (const record of records) {
      if (turns.isOver()) await turns.next();
      const place = { topic, partition, record };
      try {
        const message = codec.decode(topic, record.value);
        decoded.push({ ...place, content: read(message), claim: claimOf(place, message) });
      } catch (error) {
        poison.push({ ...place, error: undecodable(error) });
      }
    }
  }
  return { decoded, poison };
}

/** Only what sets traits needs a claim, and only where the caller chose the id: else there can be no repeat. */
function claimOf(place: TopicPartition & { readonly record: LogRecord }, message: Message): Claim | undefined {
  if (message.type === 'track' || !message.messageIdGiven) return undefined;
  const { topic, partition, record } = place;
  const { projectId, userKey, messageId } = message;
  return { topic, partition, offset: record.offset, projectId, userKey, messageId };
}

function undecodable(error: unknown): TidemarkError {
  if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
  return error;
}
