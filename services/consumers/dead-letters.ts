import type { EventLog, LogRecord, PartitionRecords, TopicPartition } from '../event-log/event-log.ts';
import { nameOf } from '../event-log/partition.ts';
import type { Codec } from '../messages/codec.ts';
import { DEAD_LETTER_TOPIC } from '../messages/message.ts';
import type { TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ReaderName } from '../stores/profiles/profile-store.ts';
import type { SqlDeadLetterHistory } from '../stores/profiles/unstored-messages.ts';
import type { RecordCoordinates } from '../stores/analytics/columns.ts';
import type { WithRetry } from './rejected-batches.ts';

/** A record of which nothing is stored. */
export interface Unprocessable extends TopicPartition {
  readonly record: LogRecord;
  /** Why it permanently cannot be processed; undefined if it was settled as a dead letter before. */
  readonly error: TidemarkError | undefined;
}

export interface DeadLettersParts {
  readonly log: Pick<EventLog, 'append'>;
  readonly codec: Pick<Codec, 'encodeDeadLetter'>;
  readonly logger: Pick<Logger, 'error'>;
  readonly reader: ReaderName;
  /** Tells which records are dead letters already; none by default. */
  readonly history?: Pick<SqlDeadLetterHistory, 'knownAmong'> | undefined;
  readonly withRetry: WithRetry;
}

/** Appends unprocessable records to the dead-letter topic, whole and under their own key. */
export class DeadLetters {
  readonly #parts: DeadLettersParts;

  constructor(parts: DeadLettersParts) {
    this.#parts = parts;
  }

  /**
   * Logs each record that has an error and appends it, with retries, unless it is a dead letter of this reader already.
   * To be called before the position moves past the records. Returns how many have an error.
   */
  async append(unprocessable: readonly Unprocessable[]): Promise<number> {
    const { logger, withRetry } = this.#parts;
    const failed = unprocessable.filter(hasFailed);
    for (const { topic, partition, record, error } of failed) {
      const at = { topic, partition, offset: record.offset.toString() };
      logger.error({ ...at, err: error }, 'a message goes to the dead letters');
    }
    if (failed.length > 0) await withRetry('write dead letters', () => this.#append(failed));
    return failed.length;
  }

  async #append(failed: readonly Failed[]): Promise<void> {
    const { log, codec, reader, history } = this.#parts;
    const known = await history?.knownAmong(failed.map(recordAt));
    const fresh = failed.filter((one) => known?.get(nameOf(one))?.has(one.record.offset) !== true);
    if (fresh.length === 0) return;
    const failedAt = BigInt(Date.now()) * 1000n;
    const records = fresh.map(({ topic, partition, record: { offset, key, value }, error }) => ({
      topic: DEAD_LETTER_TOPIC,
      key,
      value: codec.encodeDeadLetter({
        topic,
        partition,
        offset,
        key,
        value,
        error: `${error.code}: ${error.message}`,
        failedAt,
        reader,
      }),
    }));
    await log.append(records);
  }
}

type Failed = Unprocessable & { readonly error: TidemarkError };

function hasFailed(one: Unprocessable): one is Failed {
  return one.error !== undefined;
}

/** The offsets of the unstored messages that are among these records. */
export function offsetsIn(
  { topic, partition, records }: PartitionRecords,
  unstored: readonly Unprocessable[],
): readonly bigint[] {
  const [first, last] = [records[0]?.offset, records.at(-1)?.offset];
  if (unstored.length === 0 || first === undefined || last === undefined) return [];
  const own = unstored.filter((one) => one.topic === topic && one.partition === partition);
  return own.map(({ record: { offset } }) => offset).filter((offset) => offset >= first && offset <= last);
}

export function recordAt({ topic, partition, record: { offset } }: Unprocessable): RecordCoordinates {
  return { topic, partition, offset };
}
