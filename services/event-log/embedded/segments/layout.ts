import { crc32 } from 'node:zlib';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { TopicPartition } from '../../event-log.ts';
import { nameOf } from '../../partition.ts';

export const DEFAULT_PARTITIONS = 4;
/** Partitions that a log can have. */
const MAX_PARTITIONS = 5_000;

export interface Topic {
  readonly name: string;
  readonly partitions: number;
}

/** A partition of a topic. */
export interface LogPartition extends TopicPartition {
  /** Index of its next offset in the log's metadata. */
  readonly index: number;
  /** Initial value of the checksums of everything in this partition. */
  readonly seed: number;
}

/**
 * The log's topics in the order of their creation. A partition's index never changes; later topics are added at the end.
 */
export class Layout {
  readonly topics: readonly Topic[];
  readonly partitions: readonly LogPartition[];
  readonly #first = new Map<string, { readonly index: number; readonly partitions: number }>();

  constructor(topics: readonly Topic[]) {
    const all: LogPartition[] = [];
    for (const { name, partitions } of topics) {
      this.#first.set(name, { index: all.length, partitions });
      for (let partition = 0; partition < partitions; partition++) {
        const seed = crc32(nameOf({ topic: name, partition }));
        all.push({ topic: name, partition, index: all.length, seed });
      }
    }
    this.topics = topics;
    this.partitions = all;
  }

  /**
   * The index of a topic's first partition, and its number of partitions.
   *
   * @throws TidemarkError `CONFIG_INVALID` for an unknown topic.
   */
  topic(name: string): { readonly index: number; readonly partitions: number } {
    const found = this.#first.get(name);
    if (found === undefined) throw new TidemarkError('CONFIG_INVALID', `the event log has no topic ${name}`);
    return found;
  }

  partitionAt(index: number): LogPartition {
    return this.partitions[index] as LogPartition;
  }

  partitionsOf(topics: readonly string[]): readonly LogPartition[] {
    return topics.flatMap((name) => {
      const { index, partitions } = this.topic(name);
      return this.partitions.slice(index, index + partitions);
    });
  }

  /** Undefined where the log has no such partition. */
  find({ topic, partition }: TopicPartition): LogPartition | undefined {
    const found = this.#first.get(topic);
    return found !== undefined && partition < found.partitions ? this.partitions[found.index + partition] : undefined;
  }
}

/**
 * The topics that a log must have: the existing ones, then the missing ones of those wanted.
 *
 * @throws TidemarkError `CONFIG_INVALID` where a topic has another number of partitions than the requested one, or there
 *   would be too many.
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
        `the topic ${name} was created with ${count} partitions, not ${partitions}: their number cannot be changed`,
      );
    }
  }
  const count = partitions ?? existing[0]?.partitions ?? DEFAULT_PARTITIONS;
  const lacking = wanted.filter((name) => !counts.has(name));
  const all = [...existing, ...lacking.map((name) => ({ name, partitions: count }))];
  checkSize(all);
  return all;
}

function checkSize(topics: readonly Topic[]): void {
  const partitions = topics.reduce((sum, { partitions }) => sum + partitions, 0);
  if (partitions <= MAX_PARTITIONS) return;
  const message = `${partitions} partitions are more than the embedded event log can have (${MAX_PARTITIONS})`;
  throw new TidemarkError('CONFIG_INVALID', message);
}
