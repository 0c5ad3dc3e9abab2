import { connect } from 'node:net';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Migration } from '../../runtime/migrate.ts';
import { GOODBYE_MS } from '../../runtime/watchdog/stop-times.ts';
import { isTlsRecord } from '../../runtime/transport-faults.ts';
import type {
  Appended,
  EventLog,
  LogCoordinates,
  LogReader,
  NewRecord,
  PartitionRecords,
  ReaderOptions,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from '../event-log.ts';
import { checkGroup, checkPlaces, checkRanges, scanLimits, logClosed, unknownPartition } from '../refusals.ts';
import { AppendQueue } from './append-queue.ts';
import { deleteBefore, leadersBytes, partitionOffsets } from './bounds.ts';
import { failureOf } from './faults.ts';
import { Leaders } from './leaders.ts';
import { Layout } from './partitions.ts';
import { brokerOf } from './platformatic/options.ts';
import { withTopicPrefix } from './prefix.ts';
import { KafkaReader } from './kafka-reader.ts';
import { KafkaScan } from './kafka-scan.ts';
import { longestKeptMs, prepareTopics, type TopicsFound, type TopicsWanted } from './topics.ts';
import { type KafkaSettings, parseKafkaUrl } from './url.ts';
import type { KafkaWire, OpenWire } from './wire.ts';

export interface KafkaEventLogOptions {
  readonly url: string;
  /** Missing ones are created with settings that lose nothing; existing ones are checked. */
  readonly topics: readonly string[];
  readonly partitions?: number | undefined;
  readonly migration?: Migration | undefined;
  /** What topics must be; left out: those of a log. */
  readonly unlike?: Pick<TopicsWanted, 'settings' | 'alike' | 'onProblems' | 'keepTimes'>;
}

const OPEN_WITHIN_MS = 10_000;
const CHECK_WITHIN_MS = 5_000;
const BOUNDS_WITHIN_MS = 5_000;
const CUT_WITHIN_MS = 10_000;

/**
 * The event log on Kafka, by the client that the URL names (url.ts). Offsets are Kafka's: they have gaps where other
 * programs wrote transactions, whose records are read whether committed or not. The records of one append may become
 * visible partition by partition. Connections: one to each broker for appends, one for requests, one or two for each
 * reader and each scan.
 */
export class KafkaEventLog implements EventLog {
  readonly #openWire: OpenWire;
  readonly #layout: Layout;
  /** For all requests but appends, which have their own. */
  readonly #wire: KafkaWire;
  readonly #leaders: Leaders;
  readonly #appendWire: KafkaWire;
  readonly #appendLeaders: Leaders;
  readonly #appends: AppendQueue;
  readonly #readers = new Set<KafkaReader>();
  readonly #scans = new Set<KafkaWire>();
  readonly #ended = new AbortController();
  #closing: Promise<void> | undefined;

  private constructor(openWire: OpenWire, wire: KafkaWire, { partitions, maxBatchBytes }: TopicsFound) {
    this.#openWire = openWire;
    this.#layout = new Layout(partitions);
    this.#wire = wire;
    this.#leaders = new Leaders(wire, this.#layout.topics);
    this.#appendWire = openWire();
    this.#appendLeaders = new Leaders(this.#appendWire, this.#layout.topics);
    const appending = { wire: this.#appendWire, leaders: this.#appendLeaders };
    this.#appends = new AppendQueue({ layout: this.#layout, ...appending, maxBatchBytes });
  }

  /**
   * @throws TidemarkError `CONFIG_INVALID`; `LOG_UNAVAILABLE` after about ten seconds; `SERVER_DENIED`,
   *   `SERVER_TOO_OLD`; `LOG_MISCONFIGURED` where a topic is missing or would lose messages; `STORE_OLDER` where one is
   *   missing and nothing may be made.
   */
  static async open({ url, topics, partitions, migration, unlike = {} }: KafkaEventLogOptions): Promise<EventLog> {
    const settings = parseKafkaUrl(url);
    const prefix = settings.topicPrefix;
    const openWire = await wiresOf(settings);
    const wire = openWire();
    try {
      const { createTopics: create, replicas } = settings;
      const named = (names: readonly string[]): readonly string[] => names.map((name) => prefix + name);
      const alike = named(unlike.alike ?? []);
      const wanted = { ...unlike, topics: named(topics), partitions, replicas, create, alike, migration };
      const found = await within(OPEN_WITHIN_MS, prepareTopics(wire, wanted), 'to open the event log');
      const log = new KafkaEventLog(openWire, wire, found);
      // So that the first append need not do it. If it fails, that append tries again.
      await log.#appendLeaders.refresh().catch(() => undefined);
      return prefix === '' ? log : withTopicPrefix(log, prefix);
    } catch (error) {
      await wire.close();
      const failure = failureOf(error, 'to open the event log');
      if (failure.retryable) await checkTls(settings, failure);
      throw failure;
    }
  }

  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    if (this.#closing !== undefined) return Promise.reject(logClosed());
    if (records.length === 0) return Promise.resolve([]);
    try {
      return this.#appends.append(records);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async openReader(options: ReaderOptions): Promise<LogReader> {
    if (this.#closing !== undefined) throw logClosed();
    checkGroup(options.group);
    const wire = this.#openWire();
    const leaders = new Leaders(wire, options.topics);
    const closed = (gone: KafkaReader): void => void this.#readers.delete(gone);
    const reader = new KafkaReader({ wire, leaders, layout: this.#layout, closed }, options);
    this.#readers.add(reader);
    try {
      await reader.joined();
    } catch (error) {
      await reader.close();
      throw error;
    }
    return reader;
  }

  async *scan(ranges: readonly ScanRange[], options: ScanOptions = {}): AsyncGenerator<PartitionRecords> {
    if (this.#closing !== undefined) throw logClosed();
    checkRanges(ranges);
    this.#expectPartitions(ranges);
    const wire = this.#openWire();
    this.#scans.add(wire);
    try {
      const leaders = new Leaders(wire, [...new Set(ranges.map(({ topic }) => topic))]);
      const signal = AbortSignal.any([this.#ended.signal, ...(options.signal === undefined ? [] : [options.signal])]);
      const { withBlank } = options;
      yield* new KafkaScan({ wire, leaders, signal, withBlank, ...scanLimits(options) }).read(ranges);
    } finally {
      this.#scans.delete(wire);
      await wire.close();
    }
  }

  beginnings(topics: readonly string[]): Promise<readonly LogCoordinates[]> {
    return this.#bounds(topics, 'earliest');
  }

  ends(topics: readonly string[]): Promise<readonly LogCoordinates[]> {
    return this.#bounds(topics, 'latest');
  }

  async cut(before: readonly LogCoordinates[]): Promise<void> {
    if (this.#closing !== undefined) throw logClosed();
    checkPlaces(before);
    this.#expectPartitions(before);
    try {
      await deleteBefore(this.#wire, this.#leaders, before, CUT_WITHIN_MS);
    } catch (error) {
      throw failureOf(error, 'to delete records');
    }
  }

  async keptMs(topic: string): Promise<number | null | undefined> {
    if (this.#closing !== undefined) throw logClosed();
    try {
      const { topics } = await this.#wire.cluster([topic]);
      return topics.has(topic) ? longestKeptMs(topic, await this.#wire.configs([topic])) : undefined;
    } catch (error) {
      throw failureOf(error, 'to find how long records are kept');
    }
  }

  async storedBytes(): Promise<number | null> {
    if (this.#closing !== undefined) throw logClosed();
    try {
      return await leadersBytes(this.#wire, this.#leaders, this.#layout.partitionsOf(this.#layout.topics));
    } catch (error) {
      throw failureOf(error, 'to find what it takes');
    }
  }

  /** Whether every partition has a leader. Whether enough replicas are in sync shows only when appending. */
  async check(): Promise<void> {
    if (this.#closing !== undefined) throw logClosed();
    await within(CHECK_WITHIN_MS, this.#leaders.refresh(), 'to answer');
    const led = this.#layout.partitionsOf(this.#layout.topics).filter((one) => this.#leaders.of(one) === undefined);
    if (led.length > 0) throw new TidemarkError('LOG_UNAVAILABLE', `${led.length} partitions have no leader now`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ended.abort(logClosed());
    await this.#appends.finish(GOODBYE_MS);
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    await Promise.all([...this.#scans, this.#appendWire, this.#wire].map((wire) => wire.close()));
  }

  #expectPartitions(named: readonly TopicPartition[]): void {
    const unknown = named.find(({ topic, partition }) => partition >= this.#layout.count(topic));
    if (unknown !== undefined) throw unknownPartition(unknown);
  }

  async #bounds(topics: readonly string[], which: 'earliest' | 'latest'): Promise<readonly LogCoordinates[]> {
    if (this.#closing !== undefined) throw logClosed();
    const partitions = this.#layout.partitionsOf(topics);
    try {
      const offsets = await partitionOffsets(this.#wire, this.#leaders, partitions, which, BOUNDS_WITHIN_MS);
      return partitions.map((one, i) => ({ ...one, offset: offsets[i] as bigint }));
    } catch (error) {
      throw failureOf(error, `to find the ${which} offsets`);
    }
  }
}

async function wiresOf(settings: KafkaSettings): Promise<OpenWire> {
  if (settings.client === 'platformatic') {
    const { PlatformaticWire } = await import('./platformatic/client.ts');
    return () => new PlatformaticWire(settings);
  }
  const { KafkajsWire } = await import('./kafkajs/kafkajs-wire.ts');
  return () => new KafkajsWire(settings);
}

/** @throws TidemarkError `SERVER_DENIED` where only one side uses TLS. */
async function checkTls({ brokers, tls }: KafkaSettings, cause: TidemarkError): Promise<void> {
  const answers = await Promise.all(brokers.map(answerInPlain));
  if (!answers.includes(tls ? 'plain' : 'TLS')) return;
  const message = tls ? 'Kafka speaks no TLS, which the URL asks for' : 'Kafka speaks TLS only (tls=true)';
  throw new TidemarkError('SERVER_DENIED', message, { cause });
}

async function within<T>(ms: number, work: Promise<T>, doing: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    throw failureOf(error, doing);
  } finally {
    clearTimeout(timer);
  }
}

const CORRELATION = 0x54_49_44_45;
const TLS_PROBE_TIMEOUT_MS = 1_000;

/**
 * How a broker answers Kafka's first request (ApiVersions, version 0) without TLS; undefined where it does not. A broker
 * closes the connection where only one side uses TLS, as it does when it shuts down. Only this probe distinguishes the
 * wrong setting from the temporary failure.
 */
async function answerInPlain(broker: string): Promise<'plain' | 'TLS' | undefined> {
  const socket = connect({ ...brokerOf(broker), signal: AbortSignal.timeout(TLS_PROBE_TIMEOUT_MS) });
  const request = Buffer.from('0000000a00120000ffffffffffff', 'hex');
  request.writeInt32BE(CORRELATION, 8);
  socket.write(request);
  try {
    for await (const answer of socket as AsyncIterable<Buffer>) {
      if (isTlsRecord(answer)) return 'TLS';
      return answer.length >= 8 && answer.readInt32BE(4) === CORRELATION ? 'plain' : undefined;
    }
  } catch {
    // Unreachable.
  }
  return undefined;
}
