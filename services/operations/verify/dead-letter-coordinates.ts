import type { TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { ReaderName } from '../../stores/profiles/profile-store.ts';
import { unstoredMessages } from '../../stores/profiles/unstored-messages.ts';
import type { Queryable } from '../../stores/database/database.ts';

export interface DeadLetterStores {
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

  static async read({ profiles, generations }: DeadLetterStores): Promise<DeadLetterCoordinates> {
    const found = new DeadLetterCoordinates();
    for (const { reader, topic, partition, offset } of await unstoredMessages(profiles, generations)) {
      found.#coordinates[reader].add(`${nameOf({ topic, partition })}/${offset}`);
    }
    return found;
  }

  has(reader: ReaderName, place: TopicPartition, offset: bigint): boolean {
    return this.#coordinates[reader].size > 0 && this.#coordinates[reader].has(`${nameOf(place)}/${offset}`);
  }
}
