/**
 * The inner port of the Kafka adapter: what a Kafka library does for us. It is the protocol's requests and their
 * answers, over connections that are encrypted and authenticated; everything that decides (batches, retries, groups,
 * positions) is ours, above it, and the same for every library.
 */
import type { LogRecord, TopicPartition } from '../event-log.ts';

/** Consecutive records for one partition, to be written as one batch: all of it or nothing. */
export interface PartitionBatch extends TopicPartition {
  readonly records: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
}

/** A broker's word on one partition of a request: `error` is the protocol's code, 0 for success. */
interface Outcome extends TopicPartition {
  readonly error: number;
}

export interface Produced extends Outcome {
  /** Of the batch's first record; the others follow it without a gap. */
  readonly baseOffset: bigint;
  /** The broker's time, -1 where the topic keeps the producer's. */
  readonly appendedAtMs: number;
}

export interface FetchFrom extends TopicPartition {
  readonly offset: bigint;
  readonly maxBytes: number;
}

export interface Fetched extends Outcome {
  /** From the offset asked for on; bytes that nothing else writes to. Records of control batches are left out. */
  readonly records: readonly LogRecord[];
  /** Past the last record of the answer, shown or not; undefined where it held none. */
  readonly nextOffset: bigint | undefined;
}

export interface OffsetFound extends Outcome {
  readonly offset: bigint;
}

export interface PartitionFound {
  /** The broker that leads it; -1 while there is none. */
  readonly leader: number;
  readonly replicas: number;
}

export interface ClusterFound {
  readonly brokers: readonly number[];
  /** By partition, of the topics asked for; a topic that does not exist is left out. */
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
  /** With what each subscribes to; empty for all but the leader. */
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
 * One set of connections to the brokers of a cluster. Every request names the broker it goes to; brokers are known after
 * `cluster`, which begins with those of the URL. A fetch holds up no other request. A request that is not answered in its
 * time takes its connection with it.
 *
 * @throws KafkaFault where a request fails as a whole.
 */
export interface KafkaWire {
  cluster(topics: readonly string[]): Promise<ClusterFound>;
  /** With acks=-1. A partition that is missing from the answer was not acknowledged. */
  produce(broker: number, batches: readonly PartitionBatch[]): Promise<readonly Produced[]>;
  /** At least one batch where there is one, however large; uncommitted records of transactions too. */
  fetch(broker: number, from: readonly FetchFrom[], maxWaitMs: number): Promise<readonly Fetched[]>;
  offsets(broker: number, of: readonly TopicPartition[], which: 'earliest' | 'latest'): Promise<readonly OffsetFound[]>;
  /** The broker that keeps this group. */
  coordinator(group: string): Promise<number>;
  join(broker: number, request: JoinRequest): Promise<Joined>;
  /** The leader hands the assignments over; each is answered its own. */
  sync(broker: number, member: Member, protocol: string, assignments: readonly MemberAssignment[]): Promise<Buffer>;
  heartbeat(broker: number, member: Member): Promise<void>;
  leave(broker: number, member: Member): Promise<void>;
  commit(broker: number, member: Member, offsets: readonly CommittedOffset[]): Promise<void>;
  committed(broker: number, group: string, of: readonly TopicPartition[]): Promise<readonly CommittedOffset[]>;
  /** Succeeds where another has made the topic meanwhile. */
  createTopics(topics: readonly NewTopic[]): Promise<void>;
  configs(topics: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  /** Ends every connection; requests under way reject. Idempotent. */
  close(): Promise<void>;
}

export type OpenWire = () => KafkaWire;
