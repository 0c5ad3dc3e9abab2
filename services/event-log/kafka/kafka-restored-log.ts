/** Fills topics of Kafka from a backup. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import type {
  LogRecord,
  PartitionRecords,
  LogCoordinates,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from '../event-log.ts';
import { nameOf } from '../partition.ts';
import type { RestoredLog, RestoredTopic } from '../restored-log.ts';
import { partitionOffsets } from './bounds.ts';
import { failureOf, faultOf, isFatal, KAFKA } from './faults.ts';
import { Leaders } from './leaders.ts';
import { Layout } from './partitions.ts';
import { BATCH_OVERHEAD_BYTES, batchBytesOf } from './partition-queue.ts';
import { KafkaScan } from './kafka-scan.ts';
import { scanLimits } from '../refusals.ts';
import type { PlatformaticWire } from './platformatic/client.ts';
import { BROKER_TIME, newTopics, prepareTopics } from './topics.ts';
import { type KafkaSettings, parseKafkaUrl } from './url.ts';

/** What the topics have while they are filled: records keep the times that they come with. */
const PRODUCER_TIME = 'CreateTime';

const SEND_AGAIN_AFTER_MS = 100;
const BOUNDS_WITHIN_MS = 5_000;
const PATIENCE_MS = 60_000;

interface Filling {
  readonly settings: KafkaSettings;
  readonly wire: PlatformaticWire;
  readonly leaders: Leaders;
  readonly layout: Layout;
  readonly prefix: string;
  readonly maxBatchBytes: number;
}

/** Whatever client the URL names: only one of the two can change a setting of a topic. */
export class KafkaRestoredLog implements RestoredLog {
  readonly #parts: Filling;
  /** Where each partition ends, by its name. */
  readonly #ends = new Map<string, bigint>();

  private constructor(parts: Filling) {
    this.#parts = parts;
  }

  /** @throws TidemarkError as `KafkaEventLog.open`; `RESTORE_REFUSED` where a topic has another number of partitions. */
  static async open(url: string, topics: readonly RestoredTopic[]): Promise<KafkaRestoredLog> {
    const settings = parseKafkaUrl(url);
    const { PlatformaticWire } = await import('./platformatic/client.ts');
    const wire = new PlatformaticWire(settings);
    try {
      const parts = await preparedTopics(wire, settings, topics);
      const log = new KafkaRestoredLog(parts);
      for (const { topic, partition, offset } of await log.ends()) log.#ends.set(nameOf({ topic, partition }), offset);
      return log;
    } catch (error) {
      await wire.close();
      throw failureOf(error, 'to open the event log');
    }
  }

  async ends(): Promise<readonly LogCoordinates[]> {
    const { wire, leaders, layout, prefix } = this.#parts;
    const partitions = layout.partitionsOf(layout.topics);
    const offsets = await partitionOffsets(wire, leaders, partitions, 'latest', BOUNDS_WITHIN_MS);
    return partitions.map(({ topic, partition }, index) => {
      return { topic: topic.slice(prefix.length), partition, offset: offsets[index] as bigint };
    });
  }

  async *scan(ranges: readonly ScanRange[], options: ScanOptions = {}): AsyncGenerator<PartitionRecords> {
    const { wire, leaders, prefix } = this.#parts;
    const { withBlank, signal = new AbortController().signal } = options;
    const prefixed = ranges.map((range) => ({ ...range, topic: prefix + range.topic }));
    const reading = new KafkaScan({ wire, leaders, signal, withBlank, ...scanLimits(options) }).read(prefixed);
    for await (const piece of reading) yield { ...piece, topic: piece.topic.slice(prefix.length) };
  }

  async append(partition: TopicPartition, records: readonly LogRecord[]): Promise<void> {
    const name = nameOf(partition);
    let end = this.#ends.get(name) ?? 0n;
    for (const batch of batchesOf(records, this.#parts.maxBatchBytes)) {
      const gap = batch.find(({ offset }, index) => offset !== end + BigInt(index));
      if (gap !== undefined) {
        throw offsetsRefusal(`${name} has no record before offset ${gap.offset}, and Kafka cannot leave an offset out`);
      }
      await this.#send(partition, batch, end);
      end += BigInt(batch.length);
      this.#ends.set(name, end);
    }
  }

  async extend(partition: TopicPartition, end: bigint): Promise<void> {
    const name = nameOf(partition);
    if ((this.#ends.get(name) ?? 0n) < end) {
      throw offsetsRefusal(`${name} has no record before offset ${end}, and Kafka cannot leave an offset out`);
    }
  }

  async finish(): Promise<void> {
    const { wire, settings, layout } = this.#parts;
    try {
      const { setTimestamps } = await import('./platformatic/topic-config.ts');
      await setTimestamps({ wire, settings }, layout.topics, BROKER_TIME);
    } catch (error) {
      throw failureOf(error, 'to finish the event log');
    }
  }

  close(): Promise<void> {
    return this.#parts.wire.close();
  }

  /** Sends them until they are known to be there: an answer that was lost is told from the end of the partition. */
  async #send({ topic, partition }: TopicPartition, records: readonly LogRecord[], end: bigint): Promise<void> {
    const { wire, leaders, prefix } = this.#parts;
    const at = { topic: prefix + topic, partition };
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const leader = leaders.of(at);
        if (leader === undefined) throw faultOf(KAFKA.LEADER_NOT_AVAILABLE, `appending to ${nameOf(at)}`);
        const [answer] = await wire.produce(leader, [{ ...at, records }]);
        if (answer === undefined || answer.error !== 0) {
          throw faultOf(answer?.error ?? KAFKA.REQUEST_TIMED_OUT, `appending to ${nameOf(at)}`);
        }
        if (answer.baseOffset === end) return;
        throw offsetsRefusal(`${nameOf(at)} took a record at offset ${answer.baseOffset} that had ${end}`);
      } catch (error) {
        const isOver = performance.now() > deadlineMs || error instanceof TidemarkError || isFatal(error);
        if (isOver) throw failureOf(error, 'to take an append');
      }
      await sleep(SEND_AGAIN_AFTER_MS);
      await leaders.refresh().catch(() => undefined);
      const [now] = await partitionOffsets(wire, leaders, [at], 'latest', BOUNDS_WITHIN_MS).catch(() => [end]);
      if (now === end + BigInt(records.length)) return;
      if (now !== end)
        throw offsetsRefusal(`${nameOf(at)} ends at ${now} instead of ${end}: another program writes to it`);
    }
  }
}

async function preparedTopics(
  wire: PlatformaticWire,
  settings: KafkaSettings,
  topics: readonly RestoredTopic[],
): Promise<Filling> {
  const { setTimestamps } = await import('./platformatic/topic-config.ts');
  const { topicPrefix: prefix, createTopics: create, replicas } = settings;
  const names = topics.map(({ name }) => prefix + name);
  const cluster = await wire.cluster(names);
  const existing = names.filter((name) => cluster.topics.has(name));
  for (const { name, partitions } of topics) {
    const missing = [prefix + name].filter((one) => !cluster.topics.has(one));
    const wanted = { topics: names, partitions, replicas, create };
    if (create && missing.length > 0) await wire.createTopics(newTopics(missing, cluster, wanted));
  }
  // A restore that did not come to its end has left them as they were filled.
  if (existing.length > 0) await setTimestamps({ wire, settings }, existing, BROKER_TIME);
  const found = await prepareTopics(wire, { topics: names, partitions: undefined, replicas, create });
  for (const { name, partitions } of topics) {
    const count = found.partitions.get(prefix + name);
    if (count !== partitions)
      throw offsetsRefusal(`the topic ${prefix + name} has ${count} partitions instead of ${partitions}`);
  }
  await setTimestamps({ wire, settings }, names, PRODUCER_TIME);
  const leaders = new Leaders(wire, names);
  await leaders.refresh();
  return { wire, settings, leaders, layout: new Layout(found.partitions), prefix, maxBatchBytes: found.maxBatchBytes };
}

/** Pure. */
function batchesOf(records: readonly LogRecord[], maxBytes: number): readonly (readonly LogRecord[])[] {
  const batches: LogRecord[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    const size = batchBytesOf({ topic: '', ...record });
    if (bytes + size > maxBytes) {
      batches.push([]);
      bytes = BATCH_OVERHEAD_BYTES;
    }
    batches.at(-1)?.push(record);
    bytes += size;
  }
  return batches;
}

function offsetsRefusal(why: string): TidemarkError {
  return new TidemarkError('RESTORE_REFUSED', `The log cannot be restored at the same offsets: ${why}.`);
}
