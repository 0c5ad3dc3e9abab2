import { setTimeout as sleep } from 'node:timers/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import { MIGRATES, type Migration, storeOlder } from '../../runtime/migrate.ts';
import { failureOf, KAFKA, KafkaFault, UNREACHABLE } from './faults.ts';
import { partitionOffsets } from './bounds.ts';
import { Leaders } from './leaders.ts';
import { Layout } from './partitions.ts';
import type { ClusterFound, KafkaWire, NewTopic, PartitionFound } from './wire.ts';

export interface TopicsWanted {
  /** With the prefix, as Kafka knows them. */
  readonly topics: readonly string[];
  /** Undefined: an existing topic keeps its number, a new one gets that of the others, or 4. */
  readonly partitions: number | undefined;
  /** Copies of each partition of a new topic. Undefined: 3 where there are three brokers or more, else 1. */
  readonly replicas: number | undefined;
  /** Whether missing topics are created. */
  readonly create: boolean;
  readonly migration?: Migration | undefined;
  /** What topics must be set to; left out: topics of a log. */
  readonly settings?: ReadonlyMap<string, string>;
  /** Topics whose number of partitions a new one gets where none is wanted. */
  readonly alike?: readonly string[];
  /** Whether a copy fills them: new ones keep the times that records come with, and existing ones may. */
  readonly keepTimes?: boolean;
  /** Called with what is wrong with existing topics, which are taken all the same; left out: they are refused. */
  readonly onProblems?: (problems: readonly string[]) => void;
}

/** The number of partitions of each topic, and the largest batch that all topics accept. */
export interface TopicsFound {
  readonly partitions: ReadonlyMap<string, number>;
  readonly maxBatchBytes: number;
}

const DEFAULT_PARTITIONS = 4;
const DEFAULT_MAX_BATCH_BYTES = 1_048_588;
const APPEARS_WITHIN_MS = 8_000;
const TOPICS_POLL_MS = 100;

/** Whose time a record of a topic has. */
export const TIMESTAMP_TYPE = 'message.timestamp.type';
export const BROKER_TIME = 'LogAppendTime';
export const PRODUCER_TIME = 'CreateTime';

// The log is the history: its records are never deleted, keep the broker's time, and are not lost by an election.
const TOPIC_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['cleanup.policy', 'delete'],
  ['retention.ms', '-1'],
  ['retention.bytes', '-1'],
  [TIMESTAMP_TYPE, BROKER_TIME],
  ['unclean.leader.election.enable', 'false'],
]);
const WHOLE_DAY_MS = 86_400_000;
/** How long records stay after the last one of their file, and for how long a file is written. */
const FILE_KEPT_MS = 'retention.ms';
const FILE_WRITTEN_MS = 'segment.ms';
/** The settings of a topic whose records are gone after eight days: below the month of the GDPR, and as long as deliveries are kept. */
export const EXPIRING_SETTINGS: ReadonlyMap<string, string> = new Map([
  ...TOPIC_SETTINGS,
  [FILE_KEPT_MS, String(7 * WHOLE_DAY_MS)],
  [FILE_WRITTEN_MS, String(WHOLE_DAY_MS)],
]);
const MIN_IN_SYNC = 'min.insync.replicas';
const MAX_BATCH = 'max.message.bytes';

/**
 * Creates the missing topics and checks the others.
 *
 * @throws TidemarkError `LOG_MISCONFIGURED`, which names every wrong topic and setting, with the value found and the one wanted;
 *   `STORE_OLDER` where a topic is missing and none may be made.
 */
export async function prepareTopics(wire: KafkaWire, wanted: TopicsWanted): Promise<TopicsFound> {
  try {
    const cluster = await wire.cluster([...wanted.topics, ...(wanted.alike ?? [])]);
    const missing = wanted.topics.filter((topic) => !cluster.topics.has(topic));
    if (missing.length > 0) {
      const { isOn, note } = wanted.migration ?? MIGRATES;
      if (!isOn) throw storeOlder(`the event log lacks ${missing.join(', ')}`);
      if (!wanted.create)
        throw misconfigured(missing.map((topic) => `topic ${topic}: missing, and create_topics=false`));
      await wire.createTopics(newTopics(missing, cluster, wanted));
      for (const topic of missing) note?.(`the topic ${topic}`);
    }
    const topics = await untilLed(wire, wanted.topics);
    const configs = await wire.configs(wanted.topics);
    const problems = [...topics].flatMap(([topic, partitions]) =>
      problemsOf(topic, partitions, configs.get(topic) ?? new Map(), wanted),
    );
    if (problems.length > 0 && wanted.onProblems === undefined) throw misconfigured(problems);
    if (problems.length > 0) wanted.onProblems?.(problems);
    return {
      partitions: new Map([...topics].map(([topic, partitions]) => [topic, partitions.length])),
      maxBatchBytes: maxBatchBytesOf(configs),
    };
  } catch (error) {
    throw failureOf(error, 'to open the event log');
  }
}

/** The largest batch that topics of these settings accept. Pure. */
export function maxBatchBytesOf(configs: ReadonlyMap<string, ReadonlyMap<string, string>>): number {
  return Math.min(...[...configs.values()].map((config) => Number(config.get(MAX_BATCH)) || DEFAULT_MAX_BATCH_BYTES));
}

/** Pure. */
export function newTopics(
  missing: readonly string[],
  cluster: ClusterFound,
  wanted: TopicsWanted,
): readonly NewTopic[] {
  const counts = [...cluster.topics.values()].map((partitions) => partitions.length);
  const partitions = wanted.partitions ?? (counts.length > 0 ? Math.max(...counts) : DEFAULT_PARTITIONS);
  const replicas = wanted.replicas ?? (cluster.brokers.length >= 3 ? 3 : 1);
  const configs = new Map([...(wanted.settings ?? TOPIC_SETTINGS), [MIN_IN_SYNC, String(Math.min(2, replicas))]]);
  if (wanted.keepTimes === true) configs.set(TIMESTAMP_TYPE, PRODUCER_TIME);
  return missing.map((topic) => ({ topic, partitions, replicas, configs }));
}

/** What is wrong with a topic, as messages that name the setting. Pure. */
export function problemsOf(
  topic: string,
  partitions: readonly PartitionFound[],
  configs: ReadonlyMap<string, string>,
  {
    partitions: wantedPartitions,
    settings = TOPIC_SETTINGS,
    keepTimes = false,
  }: Pick<TopicsWanted, 'partitions' | 'settings' | 'keepTimes'>,
): readonly string[] {
  const problem = (setting: string, found: string | number, wanted: string | number): string =>
    `topic ${topic}: ${setting} is ${found}, wanted ${wanted}`;
  const problems: string[] = [];
  if (wantedPartitions !== undefined && partitions.length !== wantedPartitions) {
    problems.push(problem('the number of partitions', partitions.length, wantedPartitions));
  }
  for (const [setting, value] of settings) {
    const found = configs.get(setting);
    if (keepTimes && setting === TIMESTAMP_TYPE) continue;
    if (found !== undefined && found !== value) problems.push(problem(setting, found, value));
  }
  const replicas = Math.min(...partitions.map((partition) => partition.replicas));
  const minInSync = Number(configs.get(MIN_IN_SYNC) ?? 1);
  if (minInSync < Math.min(2, replicas)) problems.push(problem(MIN_IN_SYNC, minInSync, Math.min(2, replicas)));
  if (minInSync > replicas) problems.push(problem(MIN_IN_SYNC, minInSync, `${replicas} at most`));
  return problems;
}

/**
 * The longest that a record stays in a topic: null where it stays for ever, undefined where there is no such topic. Pure.
 *
 * @param configs The settings of the topics that exist.
 */
export function longestKeptMs(topic: string, configs: ReadonlyMap<string, ReadonlyMap<string, string>>) {
  const config = configs.get(topic);
  if (config === undefined) return undefined;
  const [keptMs, writtenMs] = [FILE_KEPT_MS, FILE_WRITTEN_MS].map((setting) => Number(config.get(setting) ?? '-1'));
  const isDeleted = config.get('cleanup.policy')?.includes('delete') ?? false;
  if (keptMs === undefined || writtenMs === undefined || keptMs < 0 || writtenMs < 0 || !isDeleted) return null;
  return keptMs + writtenMs;
}

/** Waits until every topic is known and led: after its creation, brokers learn of a topic one after the other. */
async function untilLed(wire: KafkaWire, topics: readonly string[]): Promise<ClusterFound['topics']> {
  const deadlineMs = performance.now() + APPEARS_WITHIN_MS;
  for (;;) {
    const found = await wire.cluster(topics).catch((error: unknown) => {
      if (error instanceof KafkaFault && error.code !== UNREACHABLE && performance.now() < deadlineMs) return undefined;
      throw error;
    });
    if (found !== undefined && topics.every((topic) => isLed(found.topics.get(topic)))) {
      await untilServed(wire, found.topics, Math.max(0, deadlineMs - performance.now()));
      return found.topics;
    }
    if (performance.now() > deadlineMs) {
      throw new KafkaFault(KAFKA.UNKNOWN_TOPIC_OR_PARTITION, 'not every partition of the topics has a leader');
    }
    await sleep(TOPICS_POLL_MS);
  }
}

/** Waits until every leader serves its partitions: metadata names a leader a moment before it knows of it. */
async function untilServed(wire: KafkaWire, topics: ClusterFound['topics'], timeoutMs: number): Promise<void> {
  const layout = new Layout(new Map([...topics].map(([topic, partitions]) => [topic, partitions.length])));
  const leaders = new Leaders(wire, layout.topics);
  await partitionOffsets(wire, leaders, layout.partitionsOf(layout.topics), 'latest', timeoutMs);
}

function isLed(partitions: readonly PartitionFound[] | undefined): boolean {
  return partitions !== undefined && partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
}

function misconfigured(problems: readonly string[]): TidemarkError {
  return new TidemarkError('LOG_MISCONFIGURED', problems.join('; '));
}
