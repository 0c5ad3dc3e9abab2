import type { EventLog, TopicPartition } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { DeadLetter } from '../../messages/dead-letter.ts';
import { DEAD_LETTER_TOPIC, type Micros } from '../../messages/message.ts';
import type { ReaderName } from '../../stores/profiles/profile-store.ts';
import { unstoredMessages, unstoredSince } from '../../stores/profiles/unstored-messages.ts';
import type { Queryable } from '../../stores/database/database.ts';
import type { RecordCoordinates } from '../../stores/analytics/columns.ts';
import { hasCode } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { partitionKey } from './checkpoints.ts';
import { wholeRanges } from './log-ranges.ts';

export interface DeadLetterStores {
  readonly log: Pick<EventLog, 'beginnings' | 'ends' | 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decodeDeadLetter'>;
  readonly profiles: Queryable;
  /** Those that are verified. */
  readonly generations: Readonly<Record<ReaderName, number>>;
}

/**
 * The coordinates of the messages that the readers of two generations passed without storing them. Each takes some 60 bytes
 * of memory.
 */
export class DeadLetterCoordinates {
  readonly #coordinates: Readonly<Record<ReaderName, Set<string>>> = { projector: new Set(), sink: new Set() };

  static async read(stores: DeadLetterStores, signal?: AbortSignal): Promise<DeadLetterCoordinates> {
    const found = new DeadLetterCoordinates();
    const { profiles: database, generations } = stores;
    for (const { reader, ...at } of await unstoredMessages(database, generations)) found.#add(reader, at);
    const since = await unstoredSince(database, generations);
    if (since.projector > 0n || since.sink > 0n) await found.#addLetters(stores, since, signal);
    return found;
  }

  /** Those written before messages were recorded. All are read: they are few, and an old message may have become one. */
  async #addLetters(
    { log, codec }: DeadLetterStores,
    since: Readonly<Record<ReaderName, Micros>>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const yielder = new EventLoopYielder();
    for await (const { records } of log.scan(await wholeRanges(log, [DEAD_LETTER_TOPIC]), { signal })) {
      await codec.prepare(records.map(({ value }) => value));
      for (const { value } of records) {
        if (yielder.isOver()) await yielder.next();
        const letter = readLetter(codec, value);
        if (letter !== undefined && letter.failedAt < since[letter.reader]) this.#add(letter.reader, letter);
      }
    }
  }

  has(reader: ReaderName, place: TopicPartition, offset: bigint): boolean {
    return this.#coordinates[reader].size > 0 && this.#coordinates[reader].has(`${partitionKey(place)}/${offset}`);
  }

  #add(reader: ReaderName, { topic, partition, offset }: RecordCoordinates): void {
    this.#coordinates[reader].add(`${partitionKey({ topic, partition })}/${offset}`);
  }
}

type ReadLetter = DeadLetter & { readonly reader: ReaderName };

/** Undefined if Tidemark did not produce it. */
function readLetter(codec: Pick<Codec, 'decodeDeadLetter'>, value: Uint8Array): ReadLetter | undefined {
  try {
    const letter = codec.decodeDeadLetter(value);
    return letter.reader === 'projector' || letter.reader === 'sink' ? (letter as ReadLetter) : undefined;
  } catch (error) {
    if (hasCode(error, 'MESSAGE_UNDECODABLE')) return undefined;
    throw error;
  }
}
