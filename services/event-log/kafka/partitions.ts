import { TidemarkError } from '../../runtime/errors.ts';
import type { TopicPartition } from '../event-log.ts';

/** The key or value of a record that has none. */
export const NO_BYTES = Buffer.alloc(0);

/** A Buffer of the same memory. kafkajs would write any other array as text. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Groups values of partitions by topic, as Kafka's protocol has them. */
export function byTopic<In extends TopicPartition, Out>(
  all: readonly In[],
  each: (one: In) => Out,
): readonly (readonly [topic: string, Out[]])[] {
  const topics = new Map<string, Out[]>();
  for (const one of all) {
    const partitions = topics.get(one.topic);
    if (partitions === undefined) topics.set(one.topic, [each(one)]);
    else partitions.push(each(one));
  }
  return [...topics];
}

/** The topics of an opened log and how many partitions each has. */
export class Layout {
  readonly #partitions: ReadonlyMap<string, number>;

  constructor(partitions: ReadonlyMap<string, number>) {
    this.#partitions = partitions;
  }

  get topics(): readonly string[] {
    return [...this.#partitions.keys()];
  }

  /** @throws TidemarkError `CONFIG_INVALID` for a topic that was not given on opening. */
  count(topic: string): number {
    const count = this.#partitions.get(topic);
    if (count !== undefined) return count;
    throw new TidemarkError('CONFIG_INVALID', `the topic ${JSON.stringify(topic)} is unknown to this event log`);
  }

  partitionsOf(topics: readonly string[]): readonly TopicPartition[] {
    return topics.flatMap((topic) =>
      Array.from({ length: this.count(topic) }, (_, partition) => ({ topic, partition })),
    );
  }
}
