import type { LogRecord, PartitionRecords, TopicPartition } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Message } from '../messages/message.ts';
import type { Claim } from '../stores/profiles/profile-store.ts';
import { hasCode, type TidemarkError } from '../runtime/errors.ts';
import { EventLoopYielder } from '../runtime/event-loop-yielder.ts';
import type { Unprocessable } from './dead-letters.ts';

/** A record with its topic and partition. */
export interface LocatedRecord extends TopicPartition {
  readonly record: LogRecord;
}

/** `topic/partition@offset`. */
export function recordNameOf({ topic, partition, record }: LocatedRecord): string {
  return `${topic}/${partition}@${record.offset}`;
}

/** A record with what the reader made of its message. */
export interface Decoded<T> extends LocatedRecord {
  readonly content: T;
  /** Where the message is one whose repeats must not count. */
  readonly claim: Claim | undefined;
}

export interface DecodedBatch<T> {
  /** In the order of the batch. */
  readonly decoded: readonly Decoded<T>[];
  readonly unprocessable: readonly Unprocessable[];
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
  await prepareFor(codec, batch);
  const decoded: Decoded<T>[] = [];
  const unprocessable: Unprocessable[] = [];
  await decodeEach(codec, batch, read, (one) => {
    if ('error' in one) unprocessable.push(one);
    else decoded.push(one);
  });
  return { decoded, unprocessable };
}

/**
 * Brings to hand the schemas that a batch was written with.
 *
 * @throws TidemarkError `STORE_UNAVAILABLE`, retryable, where one cannot be had.
 */
export function prepareFor(codec: Pick<Codec, 'prepare'>, batch: readonly PartitionRecords[]): Promise<void> {
  return codec.prepare(batch.flatMap(({ records }) => records.map(({ value }) => value)));
}

/**
 * As `decodeBatch`, the schemas being at hand; hands over each record, in the order of the batch, as soon as it is
 * decoded. What lives no longer than that costs the garbage collector nothing.
 */
export async function decodeEach<T>(
  codec: Pick<Codec, 'decode'>,
  batch: readonly PartitionRecords[],
  read: (message: Message, located: LocatedRecord) => T,
  take: (one: Decoded<T> | Unprocessable) => void,
): Promise<void> {
  const yielder = new EventLoopYielder();
  for (const { topic, partition, records } of batch) {
    for (const record of records) {
      if (yielder.isOver()) await yielder.next();
      take(decodedOrUnprocessable(codec, { topic, partition, record }, read));
    }
  }
}

function decodedOrUnprocessable<T>(
  codec: Pick<Codec, 'decode'>,
  located: LocatedRecord,
  read: (message: Message, located: LocatedRecord) => T,
): Decoded<T> | Unprocessable {
  const { topic, partition, record } = located;
  try {
    const message = codec.decode(topic, record.value);
    return { topic, partition, record, content: read(message, located), claim: claimOf(located, message) };
  } catch (error) {
    return { topic, partition, record, error: undecodableOrThrow(error) };
  }
}

/** Only what sets traits needs a claim, and only where the caller chose the id: else there can be no repeat. */
function claimOf(located: LocatedRecord, message: Message): Claim | undefined {
  if (message.type === 'track' || !message.messageIdGiven) return undefined;
  const { topic, partition, record } = located;
  const { projectId, userKey, messageId } = message;
  return { topic, partition, offset: record.offset, projectId, userKey, messageId };
}

function undecodableOrThrow(error: unknown): TidemarkError {
  if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
  return error;
}
