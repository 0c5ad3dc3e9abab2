import { crc32 } from 'node:zlib';
import { TidemarkError } from '../../runtime/errors.ts';
import type { TopicPartition } from '../event-log.ts';

export const DEFAULT_PARTITIONS = 4;

export interface Topic {
  readonly name: string;
  readonly partitions: number;
}

/** A partition of a topic, with its place in the log's books. */
export interface Slot extends TopicPartition {
  readonly index: number;
  /** Begins the checksum of everything in this partition. */
  readonly seed: number;
}

/** The log's topics in the order they were made: a slot's index never changes, later topics come behind. */
export class Layout {
  readonly topics: readonly Topic[];
  readonly slots: readonly Slot[];
  readonly #first = new Map<string, { readonly index: number; readonly partitions: number }>();

  constructor(topics: readonly Topic[]) {
    const slots: Slot[] = [];
    for (const { name, partitions } of topics) {
      this.#first.set(name, { index: slots.length, partitions });
      for (let partition = 0; partition < partitions; partition++) {
        const seed = crc32(nameOf({ topic: name, partition }));
        slots.push({ topic: name, partition, index: slots.length, seed });
      }
    }
    this.topics = topics;
    this.slots = slots;
  }

  /** Where a topic's slots begin and how many they are. @throws TidemarkError `CONFIG_INVALID` for an unknown topic. */
  topic(name: string): { readonly index: number; readonly partitions: number } {
    const found = this.#first.get(name);
    if (found === undefined) throw new TidemarkError('CONFIG_INVALID', `the event log has no topic ${name}`);
    return found;
  }

  slot(index: number): Slot {
    return this.slots[index] as Slot;
  }

  slotsOf(topics: readonly string[]): readonly Slot[] {
    return topics.flatMap((name) => {
      const { index, partitions } = this.topic(name);
      return this.slots.slice(index, index + partitions);
    });
  }

  /** Undefined where the log has no such partition. */
  find({ topic, partition }: TopicPartition): Slot | undefined {
    const found = this.#first.get(topic);
    return found !== undefined && partition < found.partitions ? this.slots[found.index + partition] : undefined;
  }
}

/** The name of a partition's database within LMDB. */
export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/**
 * The topics that a log must have: what it has, then what it lacks of those wanted.
 *
 * @throws TidemarkError `CONFIG_INVALID` where a topic has another count of partitions than the one asked for.
 */
export function grown(
  existing: readonly Topic[],
  wanted: readonly string[],
  partitions: number | undefined,
): readonly Topic[] {
  const counts = new Map(existing.map(({ name, partitions: count }) => [name, count]));
  for (const name of wanted) {
    const count = counts.get(name);
    if (partitions !== undefined && count !== undefined && count !== partitions) {
      throw new TidemarkError(
        'CONFIG_INVALID',
        `the topic ${name} was made with ${count} partitions, not ${partitions}: their number is fixed once and for all`,
      );
    }
  }
  const count = partitions ?? existing[0]?.partitions ?? DEFAULT_PARTITIONS;
  const lacking = wanted.filter((name) => !counts.has(name));
  return [...existing, ...lacking.map((name) => ({ name, partitions: count }))];
}
