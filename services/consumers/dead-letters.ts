import type { EventLog, LogRecord, TopicPartition } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import { DEAD_LETTER_TOPIC } from '../messages/message.ts';
import type { TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ReaderName } from '../stores/profiles/profile-store.ts';
import type { WithRetry } from './rejected-batches.ts';

/** A record that permanently cannot be processed, and why. */
export interface Unprocessable extends TopicPartition {
  readonly record: LogRecord;
  readonly error: TidemarkError;
}

export interface DeadLettersParts {
  readonly log: Pick<EventLog, 'append'>;
  readonly codec: Pick<Codec, 'encodeDeadLetter'>;
  readonly logger: Pick<Logger, 'error'>;
  readonly reader: ReaderName;
  /** By `topic/partition`: records below this offset were appended before, when the log was first read. */
  readonly from?: ReadonlyMap<string, bigint> | undefined;
  readonly withRetry: WithRetry;
}

/** Appends unprocessable records to the dead-letter topic, whole and under their own key. */
export class DeadLetters {
  readonly #parts: DeadLettersParts;

  constructor(parts: DeadLettersParts) {
    this.#parts = parts;
  }

  /** Logs each record and appends it, with retries. To be called before the position moves past the records. */
  async append(unprocessable: readonly Unprocessable[]): Promise<void> {
    const { logger, withRetry } = this.#parts;
    for (const { topic, partition, record, error } of unprocessable) {
      const at = { topic, partition, offset: record.offset.toString() };
      logger.error({ ...at, err: error }, 'a message goes to the dead letters');
    }
    await withRetry('write dead letters', () => this.#append(unprocessable));
  }

  async #append(unprocessable: readonly Unprocessable[]): Promise<void> {
    const { log, codec, reader, from } = this.#parts;
    const fresh = unprocessable.filter(
      ({ topic, partition, record }) => record.offset >= (from?.get(`${topic}/${partition}`) ?? 0n),
    );
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
