/**
 * The inner port of the Kafka adapter: what a Kafka library is used for. It sends the protocol's requests and returns their
 * answers, over encrypted and authenticated connections. All decisions (batches, retries, groups, positions) are made
 * above it, and are the same for every library.
 */
import type { LogCoordinates, LogRecord, TopicPartition } from '../event-log.ts';

// Fields of requests, the same for both libraries. The first is below the request timeout of a connection, so that the
// broker itself reports that replicas are too slow.
export const PRODUCE_TIMEOUT_MS = 9_000;
export const MAX_FETCH_BYTES = 8 * 2 ** 20;
export const READ_UNCOMMITTED = 0;
export const TOPIC_RESOURCE = 2;

/** Consecutive records for one partition, to be written as one batch: all of it or nothing. */
export interface PartitionBatch extends TopicPartition {
  readonly records: readonly {
    readonly key: Uint8Array;
    readonly value: Uint8Array;
    /** The time that a topic keeps which takes the producer's. */
    readonly appendedAtMs?: number;
  }[];
}

/** A broker's answer for one partition of a request. `error` is the protocol's code, 0 for success. */
export interface Outcome extends TopicPartition {
  readonly error: number;
}

export interface Produced extends Outcome {
  /** Offset of the batch's first record; the others follow it without a gap. */
  readonly baseOffset: bigint;
  /** The broker's time, -1 where the topic keeps the producer's. */
  readonly appendedAtMs: number;
}

export interface FetchFrom extends TopicPartition {
  readonly offset: bigint;
  readonly maxBytes: number;
}

export interface Fetched extends Outcome {
  /** From the requested offset on, in memory that is not reused. Records of control batches are left out. */
  readonly records: readonly LogRecord[];
  /** The offset after the last record of the answer, including those left out; undefined where there was none. */
  readonly nextOffset: bigint | undefined;
}

export interface OffsetFound extends Outcome {
  readonly offset: bigint;
}

export interface PartitionFound {
  /** The broker that leads it; -1 if it has no leader. */
  readonly leader: number;
  readonly replicas: number;
}

export interface ClusterFound {
  readonly brokers: readonly number[];
  /** The partitions of the requested topics. A topic that does not exist is left out. */
  readonly topics: ReadonlyMap<string, readonly PartitionFound[]>;
}

export interface NewTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly replicas: number;
  readonly configs: ReadonlyMap<string, string>;
}

/** A member of a consumer group, of the classic protocol (JoinGroup, SyncGroup). */
export interface Member {
  readonly group: string;
  readonly memberId: string;
  readonly generation: number;
}

export interface JoinRequest {
  readonly group: string;
  /** Empty for a new member. */
  readonly memberId: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocol: string;
  readonly subscription: Buffer;
}

export interface Joined {
  readonly memberId: string;
  readonly generation: number;
  readonly leaderId: string;
  /** With their subscriptions; empty for all members but the leader. */
  readonly members: readonly { readonly memberId: string; readonly subscription: Buffer }[];
}

export interface MemberAssignment {
  readonly memberId: string;
  readonly assignment: Buffer;
}

export interface CommittedOffset extends TopicPartition {
  readonly offset: bigint;
  readonly metadata: string;
}

/**
 * One set of connections to the brokers of a cluster. Every request names its broker. Brokers are known after `cluster`,
 * which begins with those of the URL. A fetch delays no other request. A request that times out closes its connection.
 *
 * @throws KafkaFault where a request fails as a whole.
 */
export interface KafkaWire {
  cluster(topics: readonly string[]): Promise<ClusterFound>;
  /** With acks=-1. A partition missing from the answer was not acknowledged. */
  produce(broker: number, batches: readonly PartitionBatch[]): Promise<readonly Produced[]>;
  /** Returns at least one batch if there is one, of any size, including uncommitted records of transactions. */
  fetch(broker: number, from: readonly FetchFrom[], maxWaitMs: number): Promise<readonly Fetched[]>;
  offsets(broker: number, of: readonly TopicPartition[], which: 'earliest' | 'latest'): Promise<readonly OffsetFound[]>;
  /** Deletes the records of each partition before the offset. Returns once all replicas in sync have. */
  deleteRecords(broker: number, before: readonly LogCoordinates[]): Promise<readonly Outcome[]>;
  /** The broker that coordinates this group. */
  coordinator(group: string): Promise<number>;
  join(broker: number, request: JoinRequest): Promise<Joined>;
  /** The leader sends the assignments. Each member receives its own. */
  sync(broker: number, member: Member, protocol: string, assignments: readonly MemberAssignment[]): Promise<Buffer>;
  heartbeat(broker: number, member: Member): Promise<void>;
  leave(broker: number, member: Member): Promise<void>;
  commit(broker: number, member: Member, offsets: readonly CommittedOffset[]): Promise<void>;
  /** Succeeds if another client has created the topic meanwhile. */
  createTopics(topics: readonly NewTopic[]): Promise<void>;
  configs(topics: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  /** Only of a library that can ask it: the bytes of each copy that the broker has; of none where it may not be asked. */
  sizes?(broker: number, of: readonly TopicPartition[]): Promise<readonly number[]>;
  /** Closes every connection. Requests in progress reject. Idempotent. */
  close(): Promise<void>;
}

export type OpenWire = () => KafkaWire;
