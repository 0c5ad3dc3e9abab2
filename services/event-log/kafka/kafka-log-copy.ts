/** Fills topics of Kafka with the records of another log, or of a backup. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import type { EventLog, EventLogOptions, LogCopy, LogRecord, TopicPartition } from '../event-log.ts';
import { blankRecord } from '../blank.ts';
import { nameOf } from '../partition.ts';
import { partitionOffsets } from './bounds.ts';
import { failureOf, faultOf, isFatal, KAFKA } from './faults.ts';
import { KafkaEventLog } from './kafka-event-log.ts';
import { Leaders } from './leaders.ts';
import { BATCH_OVERHEAD_BYTES, batchBytesOf } from './partition-queue.ts';
import { PlatformaticWire } from './platformatic/client.ts';
import { setTimestamps } from './platformatic/topic-config.ts';
import { BROKER_TIME, maxBatchBytesOf, PRODUCER_TIME } from './topics.ts';
import { type KafkaSettings, parseKafkaUrl } from './url.ts';

/** What a broker answers instead of its own time. */
const KEEPS_TIMES = -1;
const SEND_AGAIN_AFTER_MS = 100;
const BOUNDS_WITHIN_MS = 5_000;
const PATIENCE_MS = 60_000;

interface FilledTopics {
  /** The log that they are to be. */
  readonly log: EventLog;
  /** Whatever client the URL names: only this one can change a setting of a topic. */
  readonly wire: PlatformaticWire;
  readonly settings: KafkaSettings;
  /** With the prefix. */
  readonly names: readonly string[];
  readonly leaders: Leaders;
  readonly maxBatchBytes: number;
  /** Where each partition ends, by its name. */
  readonly ends: Map<string, bigint>;
}

export class KafkaLogCopy implements LogCopy {
  readonly #topics: FilledTopics;
  #takesTimes: Promise<void> | undefined;

  private constructor(topics: FilledTopics) {
    this.#topics = topics;
  }

  /** @throws TidemarkError as `KafkaEventLog.open`. */
  static async open(url: string, options: EventLogOptions): Promise<KafkaLogCopy> {
    const settings = parseKafkaUrl(url);
    const names = options.topics.map((name) => settings.topicPrefix + name);
    const wire = new PlatformaticWire(settings);
    try {
      const log = await KafkaEventLog.open({ url, ...options, unlike: { keepTimes: true } });
      const ends = new Map((await log.ends(options.topics)).map((end) => [nameOf(end), end.offset]));
      const leaders = new Leaders(wire, names);
      await leaders.refresh();
      const maxBatchBytes = maxBatchBytesOf(await wire.configs(names));
      return new KafkaLogCopy({ log, wire, settings, names, leaders, maxBatchBytes, ends });
    } catch (error) {
      await wire.close();
      throw failureOf(error, 'to open the event log');
    }
  }

  ends: LogCopy['ends'] = (topics) => this.#topics.log.ends(topics);

  scan: LogCopy['scan'] = (ranges, options) => this.#topics.log.scan(ranges, options);

  async appendAt(partition: TopicPartition, records: readonly LogRecord[], wantedEnd?: bigint): Promise<void> {
    const { ends, maxBatchBytes } = this.#topics;
    const name = nameOf(partition);
    const first = ends.get(name) ?? 0n;
    const [next] = records;
    if (next !== undefined && next.offset < first)
      throw offsetsRefusal(`${name} has a record at offset ${next.offset}`);
    let end = first;
    for (const batch of batchesOf(atEachOffset(first, records, wantedEnd ?? 0n), maxBatchBytes)) {
      await (this.#takesTimes ??= this.#setTimestamps(PRODUCER_TIME));
      await this.#send(partition, batch, end);
      end += BigInt(batch.length);
      ends.set(name, end);
    }
  }

  finish(): Promise<void> {
    return this.#setTimestamps(BROKER_TIME);
  }

  async close(): Promise<void> {
    // A service must be able to open topics that this created and did not fill.
    if (this.#takesTimes === undefined) await this.finish().catch(() => undefined);
    await this.#topics.log.close();
    await this.#topics.wire.close();
  }

  async #setTimestamps(value: string): Promise<void> {
    try {
      await setTimestamps(this.#topics, this.#topics.names, value);
    } catch (error) {
      throw failureOf(error, `to set ${value}`);
    }
  }

  /** Sends them until they are known to be there. Where an answer is lost, the end of the partition shows whether they are. */
  async #send({ topic, partition }: TopicPartition, records: readonly LogRecord[], end: bigint): Promise<void> {
    const { wire, leaders, settings } = this.#topics;
    const at = { topic: settings.topicPrefix + topic, partition };
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        const leader = leaders.of(at);
        if (leader === undefined) throw faultOf(KAFKA.LEADER_NOT_AVAILABLE, `appending to ${nameOf(at)}`);
        const [answer] = await wire.produce(leader, [{ ...at, records }]);
        if (answer === undefined || answer.error !== 0) {
          throw faultOf(answer?.error ?? KAFKA.REQUEST_TIMED_OUT, `appending to ${nameOf(at)}`);
        }
        if (answer.appendedAtMs !== KEEPS_TIMES) throw timesRefusal(nameOf(at));
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

/** With blank records in between: Kafka cannot leave an offset out. */
function* atEachOffset(first: bigint, records: readonly LogRecord[], end: bigint): Generator<LogRecord> {
  let next = first;
  let appendedAtMs = 0;
  for (const record of records) {
    ({ appendedAtMs } = record);
    for (; next < record.offset; next++) yield blankRecord({ offset: next, appendedAtMs });
    yield record;
    next++;
  }
  for (; next < end; next++) yield blankRecord({ offset: next, appendedAtMs });
}

function* batchesOf(records: Iterable<LogRecord>, maxBytes: number): Generator<readonly LogRecord[]> {
  let batch: LogRecord[] = [];
  let bytes = BATCH_OVERHEAD_BYTES;
  for (const record of records) {
    const size = batchBytesOf({ topic: '', ...record });
    if (batch.length > 0 && bytes + size > maxBytes) {
      yield batch;
      batch = [];
      bytes = BATCH_OVERHEAD_BYTES;
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function timesRefusal(name: string): TidemarkError {
  const why = `${name} gave records the time of the broker: delete the topics, and begin again`;
  return new TidemarkError('RESTORE_REFUSED', `The log cannot be restored with the times of its records: ${why}.`);
}

function offsetsRefusal(why: string): TidemarkError {
  return new TidemarkError('RESTORE_REFUSED', `The log cannot be restored at the same offsets: ${why}.`);
}
