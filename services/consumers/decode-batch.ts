import { isBlank, withoutBlank } from '../event-log/blank.ts';
import type { LogRecord, PartitionRecords, TopicPartition } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Message } from '../messages/message.ts';
import { nameOf } from '../event-log/partition.ts';
import type { Claim } from '../stores/profiles/profile-store.ts';
import type { SettledOffsets } from '../stores/profiles/unstored-messages.ts';
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

export function recordCountOf(batch: readonly PartitionRecords[]): number {
  return batch.reduce((sum, { records }) => sum + records.length, 0);
}

/** A record with what the consumer made of its message. */
export interface Decoded<T> extends LocatedRecord {
  readonly content: T;
  /** Present if repeats of the message must not count. */
  readonly claim: Claim | undefined;
}

export interface DecodedBatch<T> {
  /** In the order of the batch. */
  readonly decoded: readonly Decoded<T>[];
  readonly unprocessable: readonly Unprocessable[];
}

/**
 * Decodes every record of a batch that is not blank and applies `read` to each message. A record for which either throws
 * `MESSAGE_UNDECODABLE` is unprocessable, and so is one that is settled. Yields to the event loop every 2 ms.
 */
export async function decodeBatch<T>(
  codec: Pick<Codec, 'prepare' | 'decode'>,
  batch: readonly PartitionRecords[],
  read: (message: Message) => T,
  settled?: SettledOffsets,
): Promise<DecodedBatch<T>> {
  await prepareFor(codec, batch);
  const decoded: Decoded<T>[] = [];
  const unprocessable: Unprocessable[] = [];
  const take = (one: Decoded<T> | Unprocessable): void => {
    if ('error' in one) unprocessable.push(one);
    else decoded.push(one);
  };
  await decodeEach(codec, batch, read, take, { settled });
  return { decoded, unprocessable };
}

/**
 * Loads the schemas that a batch was written with.
 *
 * @throws TidemarkError `STORE_UNAVAILABLE` or `LOG_NEWER`, retryable, if one cannot be loaded.
 */
export function prepareFor(codec: Pick<Codec, 'prepare'>, batch: readonly PartitionRecords[]): Promise<void> {
  return codec.prepare(batch.flatMap(({ records }) => withoutBlank(records).map(({ value }) => value)));
}

export interface DecodeOptions {
  readonly settled?: SettledOffsets | undefined;
  /** Called with blank records, of which nothing is made. */
  readonly pass?: (blank: LocatedRecord) => void;
}

/**
 * Like `decodeBatch`, with the schemas loaded already. Passes each record to `take` as soon as it is decoded, in the order
 * of the batch: objects that live no longer cost the garbage collector nothing.
 */
export async function decodeEach<T>(
  codec: Pick<Codec, 'decode'>,
  batch: readonly PartitionRecords[],
  read: (message: Message, located: LocatedRecord) => T,
  take: (one: Decoded<T> | Unprocessable) => void,
  { settled, pass }: DecodeOptions = {},
): Promise<void> {
  const yielder = new EventLoopYielder();
  for (const { topic, partition, records } of batch) {
    const passed = settled?.get(nameOf({ topic, partition }));
    for (const record of records) {
      if (yielder.isOver()) await yielder.next();
      if (isBlank(record)) pass?.({ topic, partition, record });
      else if (passed?.has(record.offset) === true) take({ topic, partition, record, error: undefined });
      else take(decodedOrUnprocessable(codec, { topic, partition, record }, read));
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
    const message = codec.decode(topic, record.value, { partition, offset: record.offset });
    return { topic, partition, record, content: read(message, located), claim: claimOf(located, message) };
  } catch (error) {
    return { topic, partition, record, error: undecodableOrThrow(error) };
  }
}

/** Only a message that sets traits needs a claim, and only if the caller chose its id: otherwise it has no repeats. */
function claimOf(located: LocatedRecord, message: Message): Claim | undefined {
  if (message.type === 'track' || !message.messageIdGiven) return undefined;
  const { topic, partition, record } = located;
  const { projectId, userKey, messageId } = message;
  const { offset, appendedAtMs } = record;
  return { topic, partition, offset, appendedAtMs, projectId, userKey, messageId };
}

function undecodableOrThrow(error: unknown): TidemarkError {
  if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
  return error;
}
