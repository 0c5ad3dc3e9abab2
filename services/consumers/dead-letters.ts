import type { EventLog, LogRecord, TopicPartition } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import { DEAD_LETTER_TOPIC } from '../messages/message.ts';
import type { ReaderName } from '../stores/profiles/profile-store.ts';
import type { TidemarkError } from '../runtime/errors.ts';

/** A record that cannot be processed whatever one does, and why. */
export interface Unprocessable extends TopicPartition {
  readonly record: LogRecord;
  readonly error: TidemarkError;
}

/** Puts records aside, whole, under their own key. To be done before the position moves past them. */
export class DeadLetters {
  readonly #log: Pick<EventLog, 'append'>;
  readonly #codec: Pick<Codec, 'encodeDeadLetter'>;
  readonly #reader: ReaderName;
  readonly #from: ReadonlyMap<string, bigint>;

  /** @param from By `topic/partition`: what lies below was put aside before, when the log was first read. */
  constructor(
    log: Pick<EventLog, 'append'>,
    codec: Pick<Codec, 'encodeDeadLetter'>,
    reader: ReaderName,
    from: ReadonlyMap<string, bigint> = new Map(),
  ) {
    this.#log = log;
    this.#codec = codec;
    this.#reader = reader;
    this.#from = from;
  }

  /** @throws TidemarkError `LOG_UNAVAILABLE`, retryable. */
  async append(unprocessable: readonly Unprocessable[]): Promise<void> {
    const fresh = unprocessable.filter(
      ({ topic, partition, record }) => record.offset >= (this.#from.get(`${topic}/${partition}`) ?? 0n),
    );
    if (fresh.length === 0) return;
    const failedAt = BigInt(Date.now()) * 1000n;
    const records = fresh.map(({ topic, partition, record: { offset, key, value }, error }) => ({
      topic: DEAD_LETTER_TOPIC,
      key,
      value: this.#codec.encodeDeadLetter({
        topic,
        partition,
        offset,
        key,
        value,
        error: `${error.code}: ${error.message}`,
        failedAt,
        reader: this.#reader,
      }),
    }));
    await this.#log.append(records);
  }
}
