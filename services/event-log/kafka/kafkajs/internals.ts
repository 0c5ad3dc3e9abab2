/** Parts of kafkajs 2.2.4 that its own types leave out, and the conversion of its errors. */
import type { LogRecord, TopicPartition } from '../../event-log.ts';
import { type ErrorParts, errorsIn } from '../../../runtime/transport-faults.ts';
import { toKafkaFault, KAFKA, type KafkaFault } from '../faults.ts';
import { byTopic, NO_BYTES } from '../partitions.ts';

type PerTopic<T> = readonly { readonly topic: string; readonly partitions: readonly T[] }[];

interface Message {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly isControlRecord: boolean;
}

interface ProduceAnswer {
  readonly partition: number;
  readonly errorCode: number;
  readonly baseOffset: string;
  readonly logAppendTime?: string;
}

/**
 * kafkajs/src/broker/index.js. Each request throws where the answer contains an error code, except after
 * `withWholeAnswers`.
 */
export interface Broker {
  metadata(topics: readonly string[]): Promise<unknown>;
  produce(request: {
    topicData: PerTopic<{ partition: number; messages: readonly { key: Buffer; value: Buffer }[] }>;
    acks: number;
    timeout: number;
  }): Promise<{ readonly topics: readonly { topicName: string; partitions: readonly ProduceAnswer[] }[] }>;
  fetch(request: {
    maxWaitTime: number;
    minBytes: number;
    maxBytes: number;
    isolationLevel: number;
    topics: PerTopic<{ partition: number; fetchOffset: string; maxBytes: number }>;
  }): Promise<{
    readonly responses: readonly {
      topicName: string;
      partitions: readonly { partition: number; errorCode: number; messages: readonly Message[] }[];
    }[];
  }>;
  listOffsets(request: {
    replicaId: number;
    isolationLevel: number;
    topics: PerTopic<{ partition: number; timestamp: string }>;
  }): Promise<{ readonly responses: PerTopic<{ partition: number; errorCode: number; offset: string }> }>;
  deleteRecords(request: { topics: PerTopic<{ partition: number; offset: string }> }): Promise<{
    readonly topics: PerTopic<{ partition: number; errorCode: number }>;
  }>;
  findGroupCoordinator(request: { groupId: string; coordinatorType: number }): Promise<{
    readonly coordinator: { readonly nodeId: number };
  }>;
  joinGroup(request: {
    groupId: string;
    memberId: string;
    sessionTimeout: number;
    rebalanceTimeout: number;
    groupProtocols: readonly { name: string; metadata: Buffer }[];
  }): Promise<{
    readonly memberId: string;
    readonly generationId: number;
    readonly leaderId: string;
    readonly members: readonly { memberId: string; memberMetadata: Buffer }[];
  }>;
  syncGroup(request: {
    groupId: string;
    generationId: number;
    memberId: string;
    groupAssignment: readonly { memberId: string; memberAssignment: Buffer }[];
  }): Promise<{ readonly memberAssignment: Buffer }>;
  heartbeat(request: { groupId: string; groupGenerationId: number; memberId: string }): Promise<unknown>;
  leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
  offsetCommit(request: {
    groupId: string;
    groupGenerationId: number;
    memberId: string;
    topics: PerTopic<{ partition: number; offset: string; metadata: string }>;
  }): Promise<unknown>;
  createTopics(request: {
    timeout: number;
    topics: readonly {
      topic: string;
      numPartitions: number;
      replicationFactor: number;
      configEntries: readonly { name: string; value: string }[];
    }[];
  }): Promise<unknown>;
  describeConfigs(request: { resources: readonly { type: number; name: string }[] }): Promise<{
    readonly resources: readonly {
      resourceName: string;
      configEntries: readonly { configName: string; configValue: string | null }[];
    }[];
  }>;
  disconnect(): Promise<void>;
  readonly connectionPool: {
    send: (question: {
      readonly request: { readonly apiKey: number };
      readonly response: { readonly decode: unknown; readonly parse: (answer: unknown) => unknown };
    }) => Promise<unknown>;
  };
}

/** kafkajs/src/cluster/index.js and brokerPool.js. */
export interface Cluster {
  readonly brokerPool: {
    readonly metadata: { readonly controllerId: number } | null;
    /** By API key. */
    readonly versions: Readonly<Record<string, { readonly minVersion: number; readonly maxVersion: number }>> | null;
    /** Connects to the next broker of the URL. */
    createSeedBroker(): Promise<void>;
    refreshMetadata(topics: readonly string[]): Promise<void>;
    findBroker(which: { nodeId: string }): Promise<Broker>;
    findConnectedBroker(): Promise<Broker>;
  };
  connect(): Promise<void>;
  getNodeIds(): readonly string[];
  findTopicPartitionMetadata(
    topic: string,
  ): readonly { partitionId: number; leader: number; replicas: readonly number[] }[];
}

export function perTopic<In extends TopicPartition, Out>(all: readonly In[], each: (one: In) => Out): PerTopic<Out> {
  return byTopic(all, each).map(([topic, partitions]) => ({ topic, partitions }));
}

export function recordOf(message: Message): LogRecord {
  return {
    offset: BigInt(message.offset),
    appendedAtMs: Number(message.timestamp),
    key: message.key ?? NO_BYTES,
    value: message.value ?? NO_BYTES,
  };
}

export function kafkajsFault(error: unknown): KafkaFault {
  return toKafkaFault(error, protocolCodeOf);
}

function protocolCodeOf({ name, code }: ErrorParts): unknown {
  if (name === 'KafkaJSSASLAuthenticationError') return KAFKA.SASL_AUTHENTICATION_FAILED;
  return name === 'KafkaJSServerDoesNotSupportApiKey' ? KAFKA.UNSUPPORTED_VERSION : code;
}

// Produce, Fetch, ListOffsets and DeleteRecords: their answers have an error code for each partition.
const PER_PARTITION: ReadonlySet<number> = new Set([0, 1, 2, 21]);
const patched = new WeakSet<Broker>();

/**
 * kafkajs discards an answer with an error code for any partition, and so the results of the others, which would all be sent
 * again. After this call the broker's answers are returned whole.
 */
export function withWholeAnswers(broker: Broker): Broker {
  if (patched.has(broker)) return broker;
  patched.add(broker);
  const pool = broker.connectionPool;
  const send = pool.send.bind(pool);
  pool.send = ({ request, response, ...options }) => {
    const isWhole = PER_PARTITION.has(request.apiKey);
    return send({ request, response: isWhole ? { ...response, parse: (answer) => answer } : response, ...options });
  };
  return broker;
}

/** Why topics could not be created; undefined if they only exist already. */
export function refusalOf(error: unknown): KafkaFault | undefined {
  const failures = errorsIn(kafkajsFault(error).cause).filter(({ name }) => name === 'KafkaJSCreateTopicError');
  if (failures.length === 0) return kafkajsFault(error);
  const refused = failures.find(({ code }) => code !== KAFKA.TOPIC_ALREADY_EXISTS);
  return refused === undefined ? undefined : kafkajsFault(refused);
}
