import type { LogCoordinates, TopicPartition } from '../../event-log.ts';
import { KAFKA, UNREACHABLE } from '../faults.ts';
import { clusterOf, connectToAny, Sockets } from './connect.ts';
import {
  type Broker,
  type Cluster,
  kafkajsFault,
  perTopic,
  recordOf,
  refusalOf,
  withWholeAnswers,
} from './internals.ts';
import { bufferOf } from '../partitions.ts';
import { MAX_FETCH_BYTES, PRODUCE_TIMEOUT_MS, READ_UNCOMMITTED, TOPIC_RESOURCE } from '../wire.ts';
import type { KafkaSettings } from '../url.ts';
import { checkVersions } from '../versions.ts';
import type {
  ClusterFound,
  CommittedOffset,
  Fetched,
  FetchFrom,
  Joined,
  JoinRequest,
  KafkaWire,
  Member,
  MemberAssignment,
  NewTopic,
  OffsetFound,
  Outcome,
  PartitionBatch,
  PartitionFound,
  Produced,
} from '../wire.ts';
import { nameOf } from '../../partition.ts';

const TIMESTAMPS = { earliest: '-2', latest: '-1' };

/**
 * Uses the connections and encoding of kafkajs, but not its producer and consumer. These resolve a send although a partition
 * was never written (issue 1303 of kafkajs), continue with revoked partitions (1046), and lose their membership when the
 * coordinator fails.
 */
export class KafkajsWire implements KafkaWire {
  readonly #cluster: Cluster;
  readonly #seeds: number;
  readonly #sockets = new Sockets();
  #closed = false;

  constructor(settings: KafkaSettings) {
    this.#cluster = clusterOf(settings, this.#sockets);
    this.#seeds = settings.brokers.length;
  }

  async cluster(topics: readonly string[]): Promise<ClusterFound> {
    return this.#try(async () => {
      await connectToAny(this.#cluster, this.#seeds);
      this.#checkVersions();
      const found = await this.#refresh(topics);
      const partitions = found.map((topic) => [topic, this.#partitions(topic)] as const);
      return { brokers: this.#cluster.getNodeIds().map(Number), topics: new Map(partitions) };
    });
  }

  async produce(broker: number, batches: readonly PartitionBatch[]): Promise<readonly Produced[]> {
    const topicData = perTopic(batches, ({ partition, records }) => ({
      partition,
      messages: records.map(({ key, value }) => ({ key: bufferOf(key), value: bufferOf(value) })),
    }));
    const { topics } = await this.#ask(broker, (to) =>
      to.produce({ topicData, acks: -1, timeout: PRODUCE_TIMEOUT_MS }),
    );
    return topics.flatMap(({ topicName: topic, partitions }) =>
      partitions.map(({ partition, errorCode, baseOffset, logAppendTime }) => {
        const appendedAtMs = Number(logAppendTime ?? -1);
        return { topic, partition, error: errorCode, baseOffset: BigInt(baseOffset), appendedAtMs };
      }),
    );
  }

  async fetch(broker: number, from: readonly FetchFrom[], maxWaitMs: number): Promise<readonly Fetched[]> {
    const topics = perTopic(from, ({ partition, offset, maxBytes }) => ({
      partition,
      fetchOffset: offset.toString(),
      maxBytes,
    }));
    const request = {
      maxWaitTime: maxWaitMs,
      minBytes: 1,
      maxBytes: MAX_FETCH_BYTES,
      isolationLevel: READ_UNCOMMITTED,
      topics,
    };
    const { responses } = await this.#ask(broker, (to) => to.fetch(request));
    const asked = new Map(from.map((one) => [nameOf(one), one.offset]));
    return responses.flatMap(({ topicName: topic, partitions }) =>
      partitions.map(({ partition, errorCode, messages }) => {
        const first = asked.get(nameOf({ topic, partition })) ?? 0n;
        const last = messages.at(-1);
        const nextOffset = last === undefined ? undefined : BigInt(last.offset) + 1n;
        const records = messages.filter((one) => !one.isControlRecord && BigInt(one.offset) >= first).map(recordOf);
        return { topic, partition, error: errorCode, records, nextOffset };
      }),
    );
  }

  async offsets(
    broker: number,
    of: readonly TopicPartition[],
    which: 'earliest' | 'latest',
  ): Promise<readonly OffsetFound[]> {
    const topics = perTopic(of, ({ partition }) => ({ partition, timestamp: TIMESTAMPS[which] }));
    const { responses } = await this.#ask(broker, (to) =>
      to.listOffsets({ replicaId: -1, isolationLevel: READ_UNCOMMITTED, topics }),
    );
    return responses.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, errorCode, offset }) => {
        return { topic, partition, error: errorCode, offset: BigInt(offset ?? -1) };
      }),
    );
  }

  async deleteRecords(broker: number, before: readonly LogCoordinates[]): Promise<readonly Outcome[]> {
    const topics = perTopic(before, ({ partition, offset }) => ({ partition, offset: offset.toString() }));
    const answer = await this.#ask(broker, (to) => to.deleteRecords({ topics }));
    return answer.topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, errorCode }) => ({ topic, partition, error: errorCode })),
    );
  }

  async coordinator(groupId: string): Promise<number> {
    return this.#try(async () => {
      await connectToAny(this.#cluster, this.#seeds);
      const broker = await this.#cluster.brokerPool.findConnectedBroker();
      const { coordinator } = await broker.findGroupCoordinator({ groupId, coordinatorType: 0 });
      return coordinator.nodeId;
    });
  }

  async join(broker: number, request: JoinRequest): Promise<Joined> {
    const { group, memberId, sessionTimeoutMs, rebalanceTimeoutMs, protocol, subscription } = request;
    const joined = await this.#ask(broker, (to) =>
      to.joinGroup({
        groupId: group,
        memberId,
        sessionTimeout: sessionTimeoutMs,
        rebalanceTimeout: rebalanceTimeoutMs,
        groupProtocols: [{ name: protocol, metadata: subscription }],
      }),
    );
    return {
      memberId: joined.memberId,
      generation: joined.generationId,
      leaderId: joined.leaderId,
      members: joined.members.map((one) => ({ memberId: one.memberId, subscription: one.memberMetadata })),
    };
  }

  async sync(
    broker: number,
    { group, memberId, generation }: Member,
    _protocol: string,
    assignments: readonly MemberAssignment[],
  ): Promise<Buffer> {
    const groupAssignment = assignments.map((one) => ({ memberId: one.memberId, memberAssignment: one.assignment }));
    const { memberAssignment } = await this.#ask(broker, (to) =>
      to.syncGroup({ groupId: group, generationId: generation, memberId, groupAssignment }),
    );
    return memberAssignment;
  }

  async heartbeat(broker: number, { group, memberId, generation }: Member): Promise<void> {
    await this.#ask(broker, (to) => to.heartbeat({ groupId: group, groupGenerationId: generation, memberId }));
  }

  async leave(broker: number, { group, memberId }: Member): Promise<void> {
    await this.#ask(broker, (to) => to.leaveGroup({ groupId: group, memberId }));
  }

  async commit(broker: number, member: Member, offsets: readonly CommittedOffset[]): Promise<void> {
    const { group, memberId, generation } = member;
    const topics = perTopic(offsets, ({ partition, offset, metadata }) => {
      return { partition, offset: offset.toString(), metadata };
    });
    await this.#ask(broker, (to) =>
      to.offsetCommit({ groupId: group, groupGenerationId: generation, memberId, topics }),
    );
  }

  async createTopics(topics: readonly NewTopic[]): Promise<void> {
    const { controllerId } = this.#cluster.brokerPool.metadata ?? { controllerId: UNREACHABLE };
    const request = topics.map(({ topic, partitions, replicas, configs }) => ({
      topic,
      numPartitions: partitions,
      replicationFactor: replicas,
      configEntries: [...configs].map(([name, value]) => ({ name, value })),
    }));
    try {
      await this.#ask(controllerId, (to) => to.createTopics({ timeout: PRODUCE_TIMEOUT_MS, topics: request }));
    } catch (fault) {
      const refused = refusalOf(fault);
      if (refused !== undefined) throw refused;
    }
  }

  async configs(topics: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const [broker] = this.#cluster.getNodeIds();
    const { resources } = await this.#ask(Number(broker), (to) =>
      to.describeConfigs({ resources: topics.map((name) => ({ type: TOPIC_RESOURCE, name })) }),
    );
    return new Map(
      resources.map(({ resourceName, configEntries }) => [
        resourceName,
        new Map(configEntries.map(({ configName, configValue }) => [configName, configValue ?? ''])),
      ]),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sockets.destroy();
  }

  #checkVersions(): void {
    const { versions } = this.#cluster.brokerPool;
    if (versions === null) return;
    checkVersions(Object.entries(versions).map(([apiKey, range]) => ({ apiKey: Number(apiKey), ...range })));
  }

  /** Those of these topics that exist. kafkajs fails if one of the requested topics does not. */
  async #refresh(topics: readonly string[]): Promise<readonly string[]> {
    const { brokerPool } = this.#cluster;
    try {
      await brokerPool.refreshMetadata(topics);
      return topics;
    } catch (error) {
      if (kafkajsFault(error).code !== KAFKA.UNKNOWN_TOPIC_OR_PARTITION) throw error;
    }
    const broker = await brokerPool.findConnectedBroker();
    const found: string[] = [];
    for (const topic of topics) {
      const known = await broker.metadata([topic]).then(
        () => true,
        (error: unknown) => {
          if (kafkajsFault(error).code !== KAFKA.UNKNOWN_TOPIC_OR_PARTITION) throw error;
          return false;
        },
      );
      if (known) found.push(topic);
    }
    await brokerPool.refreshMetadata(found);
    return found;
  }

  #partitions(topic: string): readonly PartitionFound[] {
    return this.#cluster
      .findTopicPartitionMetadata(topic)
      .toSorted((one, other) => one.partitionId - other.partitionId)
      .map(({ leader, replicas }) => ({ leader, replicas: replicas.length }));
  }

  async #ask<T>(broker: number, request: (to: Broker) => Promise<T>): Promise<T> {
    return this.#try(async () => {
      const to = withWholeAnswers(await this.#cluster.brokerPool.findBroker({ nodeId: String(broker) }));
      try {
        return await request(to);
      } catch (error) {
        if (kafkajsFault(error).code === UNREACHABLE) await to.disconnect().catch(() => undefined);
        throw error;
      }
    });
  }

  async #try<T>(request: () => Promise<T>): Promise<T> {
    try {
      if (this.#closed) throw new Error('the connections are closed');
      return await request();
    } catch (error) {
      throw kafkajsFault(error);
    }
  }
}
