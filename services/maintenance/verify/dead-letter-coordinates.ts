import type { EventLog, TopicPartition } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { DEAD_LETTER_TOPIC } from '../../messages/message.ts';
import type { ReaderName } from '../../stores/profiles/profile-store.ts';
import { hasCode } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { partitionKey } from './checkpoints.ts';
import { wholeRanges } from './log-ranges.ts';

/** The coordinates of all dead-lettered messages by reader. Each takes some 60 bytes of memory. */
export class DeadLetterCoordinates {
  readonly #coordinates: Readonly<Record<ReaderName, Set<string>>> = { projector: new Set(), sink: new Set() };

  /** Reads all dead letters: they are few, and an old message may have become one today. */
  static async read(
    log: Pick<EventLog, 'beginnings' | 'ends' | 'scan'>,
    codec: Pick<Codec, 'prepare' | 'decodeDeadLetter'>,
    signal?: AbortSignal,
  ): Promise<DeadLetterCoordinates> {
    const found = new DeadLetterCoordinates();
    const yielder = new EventLoopYielder();
    for await (const { records } of log.scan(await wholeRanges(log, [DEAD_LETTER_TOPIC]), { signal })) {
      await codec.prepare(records.map(({ value }) => value));
      for (const { value } of records) {
        if (yielder.isOver()) await yielder.next();
        found.#add(codec, value);
      }
    }
    return found;
  }

  has(reader: ReaderName, place: TopicPartition, offset: bigint): boolean {
    return this.#coordinates[reader].size > 0 && this.#coordinates[reader].has(`${partitionKey(place)}/${offset}`);
  }

  #add(codec: Pick<Codec, 'decodeDeadLetter'>, value: Uint8Array): void {
    try {
      const { reader, topic, partition, offset } = codec.decodeDeadLetter(value);
      if (reader === 'projector' || reader === 'sink')
        this.#coordinates[reader].add(`${partitionKey({ topic, partition })}/${offset}`);
    } catch (error) {
      // Not produced by Tidemark.
      if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
    }
  }
}
