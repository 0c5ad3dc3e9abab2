import type { LogRecord, TopicPartition } from '../../../services/event-log/event-log.ts';
import { Layout } from '../../../services/event-log/kafka/partitions.ts';
import { nameOf } from '../../../services/event-log/partition.ts';
import type { PartitionBatch, Produced } from '../../../services/event-log/kafka/wire.ts';

export const BROKER_TOPIC = 't';

/** What is to become of a batch: written and acknowledged, written and not acknowledged, refused. */
export type Fate = 'written' | 'unanswered' | 'refused';

/** The brokers of a Kafka in memory, at the adapter's inner port: a fake whose answers the test chooses. */
export class KafkaInMemory {
  readonly layout = new Layout(new Map([[BROKER_TOPIC, 2]]));
  readonly requests: { readonly broker: number; readonly batches: readonly PartitionBatch[] }[] = [];
  /** The leader of each partition, by its number. */
  leaders = [1, 1];
  /** Asked for each batch. */
  fate: (batch: PartitionBatch) => Fate = () => 'written';
  /** Awaited before a request is answered. */
  gate: (broker: number) => Promise<void> = () => Promise.resolve();
  refreshes = 0;
  readonly #logs = new Map<string, LogRecord[]>();

  of({ partition }: TopicPartition): number | undefined {
    return this.leaders[partition];
  }

  refresh(): Promise<void> {
    this.refreshes++;
    return Promise.resolve();
  }

  async produce(broker: number, batches: readonly PartitionBatch[]): Promise<readonly Produced[]> {
    this.requests.push({ broker, batches });
    await this.gate(broker);
    return batches.flatMap((batch) => this.#write(broker, batch));
  }

  /** The values of a partition's log. */
  values(partition: number): readonly string[] {
    return this.#log({ topic: BROKER_TOPIC, partition }).map(({ value }) => Buffer.from(value).toString());
  }

  #write(broker: number, batch: PartitionBatch): readonly Produced[] {
    const { topic, partition } = batch;
    const fate = this.fate(batch);
    const isLeader = this.of(batch) === broker;
    if (fate === 'refused' || !isLeader) return [{ topic, partition, error: 6, baseOffset: -1n, appendedAtMs: -1 }];
    const log = this.#log(batch);
    const baseOffset = BigInt(log.length);
    for (const record of batch.records) log.push({ ...record, offset: BigInt(log.length), appendedAtMs: 7 });
    return fate === 'written' ? [{ topic, partition, error: 0, baseOffset, appendedAtMs: 7 }] : [];
  }

  #log(partition: TopicPartition): LogRecord[] {
    const name = nameOf(partition);
    const log = this.#logs.get(name) ?? [];
    this.#logs.set(name, log);
    return log;
  }
}
