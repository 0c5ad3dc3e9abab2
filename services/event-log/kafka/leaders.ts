import type { TopicPartition } from '../event-log.ts';
import type { KafkaWire } from './wire.ts';
import { nameOf } from '../partition.ts';

/** Which broker leads which partition, by the last metadata of one connection. */
export class Leaders {
  readonly #wire: KafkaWire;
  readonly #topics: readonly string[];
  readonly #leaders = new Map<string, number>();
  #refreshing: Promise<void> | undefined;

  constructor(wire: KafkaWire, topics: readonly string[]) {
    this.#wire = wire;
    this.#topics = topics;
  }

  /** Undefined where none is known. */
  of(partition: TopicPartition): number | undefined {
    return this.#leaders.get(nameOf(partition));
  }

  /** Groups partitions by leader. Those without a known leader are left out. */
  group<T extends TopicPartition>(partitions: readonly T[]): ReadonlyMap<number, readonly T[]> {
    const groups = new Map<number, T[]>();
    for (const one of partitions) {
      const leader = this.of(one);
      if (leader === undefined) continue;
      const group = groups.get(leader);
      if (group === undefined) groups.set(leader, [one]);
      else group.push(one);
    }
    return groups;
  }

  /** Fetches the metadata. Concurrent calls share one request. @throws KafkaFault */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const { topics } = await this.#wire.cluster(this.#topics);
    this.#leaders.clear();
    for (const [topic, partitions] of topics) {
      for (const [partition, { leader }] of partitions.entries()) {
        if (leader >= 0) this.#leaders.set(nameOf({ topic, partition }), leader);
      }
    }
  }
}
