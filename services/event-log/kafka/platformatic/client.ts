import {
  apiVersionsV0,
  type Broker,
  type Connection,
  type ConnectionOptions,
  ConnectionPool,
} from '@platformatic/kafka';
import type { LogCoordinates, TopicPartition } from '../../event-log.ts';
import { KAFKA, KafkaFault, UNREACHABLE } from '../faults.ts';
import { byTopic } from '../partitions.ts';
import { APIS } from './apis.ts';
import { callApi, expectNoError, platformaticFault, listenTo, recordsOf, sentRecord } from './answers.ts';
import { brokerOf, connectionOptionsOf } from './options.ts';
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
  Produced,
} from '../wire.ts';
import { nameOf } from '../../partition.ts';

const GROUP_KEY = 0;
const TIMESTAMPS = { earliest: -2n, latest: -1n };
const NO_EPOCH = -1;

/**
 * Uses the connections and encoding of \@platformatic/kafka, but not its producer and consumer. These do not return the time
 * of an append, nor which partitions of a failed send were written.
 */
export class PlatformaticWire implements KafkaWire {
  readonly #seeds: readonly Broker[];
  readonly #pool: ConnectionPool;
  /** A broker answers the requests of a connection in turn, and a fetch waits for records, so fetches have their own. */
  readonly #fetchPool: ConnectionPool;
  #brokers: ReadonlyMap<number, Broker> = new Map();
  #controller = UNREACHABLE;
  #isChecked = false;

  constructor(settings: KafkaSettings) {
    this.#seeds = settings.brokers.map(brokerOf);
    const options = connectionOptionsOf(settings, this.#seeds);
    this.#pool = openPool(settings.clientId, options);
    this.#fetchPool = openPool(settings.clientId, options);
  }

  async cluster(topics: readonly string[]): Promise<ClusterFound> {
    const found = await this.#askAny((of) => callApi(of, APIS.metadata, [...topics], false, false, false));
    this.#brokers = new Map(found.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    this.#controller = found.controllerId;
    const known = found.topics.filter(({ errorCode }) => errorCode !== KAFKA.UNKNOWN_TOPIC_OR_PARTITION);
    for (const { name, errorCode } of known) {
      const isPassing = errorCode === 0 || errorCode === KAFKA.LEADER_NOT_AVAILABLE;
      if (!isPassing) throw new KafkaFault(errorCode, `the broker refuses to describe ${name}: error ${errorCode}`);
    }
    const partitions = known.map(({ name, partitions }) => {
      const sorted = partitions.toSorted((one, other) => one.partitionIndex - other.partitionIndex);
      return [name, sorted.map((one) => ({ leader: one.leaderId, replicas: one.replicaNodes.length }))] as const;
    });
    return { brokers: [...this.#brokers.keys()], topics: new Map(partitions) };
  }

  async produce(broker: number, batches: readonly PartitionBatch[]): Promise<readonly Produced[]> {
    const messages = batches.flatMap(({ topic, partition, records }) =>
      records.map((record) => ({ topic, partition, ...sentRecord(record) })),
    );
    const answer = await callApi(await this.#to(broker), APIS.produce, -1, PRODUCE_TIMEOUT_MS, messages, {});
    if (typeof answer === 'boolean') return [];
    return answer.responses.flatMap(({ name: topic, partitionResponses }) =>
      partitionResponses.map(({ index: partition, errorCode: error, baseOffset, logAppendTimeMs }) => {
        return { topic, partition, error, baseOffset, appendedAtMs: Number(logAppendTimeMs) };
      }),
    );
  }

  async fetch(broker: number, from: readonly FetchFrom[], maxWaitMs: number): Promise<readonly Fetched[]> {
    // Up to version 12 this field holds the topic's name.
    const topics = byTopic(from, ({ partition, offset, maxBytes }) => ({
      partition,
      currentLeaderEpoch: NO_EPOCH,
      fetchOffset: offset,
      lastFetchedEpoch: NO_EPOCH,
      partitionMaxBytes: maxBytes,
    })).map(([topicId, partitions]) => ({ topicId, partitions }));
    const to = await this.#to(broker, this.#fetchPool);
    const limits = [maxWaitMs, 1, MAX_FETCH_BYTES, READ_UNCOMMITTED] as const;
    const { responses } = await callApi(to, APIS.fetch, ...limits, 0, NO_EPOCH, topics, [], '');
    const asked = new Map(from.map((one) => [nameOf(one), one.offset]));
    return responses.flatMap(({ topicId: topic, partitions }) =>
      partitions.map(({ partitionIndex: partition, errorCode: error, records: batches }) => {
        const first = asked.get(nameOf({ topic, partition })) ?? 0n;
        const last = batches?.at(-1);
        const nextOffset = last && last.firstOffset + BigInt(last.lastOffsetDelta) + 1n;
        return {
          topic,
          partition,
          error,
          records: (batches ?? []).flatMap((batch) => recordsOf(batch, first)),
          nextOffset,
        };
      }),
    );
  }

  async offsets(
    broker: number,
    of: readonly TopicPartition[],
    which: 'earliest' | 'latest',
  ): Promise<readonly OffsetFound[]> {
    const topics = byTopic(of, ({ partition }) => {
      return { partitionIndex: partition, currentLeaderEpoch: NO_EPOCH, timestamp: TIMESTAMPS[which] };
    }).map(([name, partitions]) => ({ name, partitions }));
    const answer = await callApi(await this.#to(broker), APIS.listOffsets, -1, READ_UNCOMMITTED, topics);
    return answer.topics.flatMap(({ name: topic, partitions }) =>
      partitions.map(({ partitionIndex: partition, errorCode: error, offset }) => ({
        topic,
        partition,
        error,
        offset,
      })),
    );
  }

  async deleteRecords(broker: number, before: readonly LogCoordinates[]): Promise<readonly Outcome[]> {
    const topics = byTopic(before, ({ partition, offset }) => ({ partitionIndex: partition, offset }));
    const request = topics.map(([name, partitions]) => ({ name, partitions }));
    const answer = await callApi(await this.#to(broker), APIS.deleteRecords, request, PRODUCE_TIMEOUT_MS);
    return answer.topics.flatMap(({ name: topic, partitions }) =>
      partitions.map(({ partitionIndex: partition, errorCode: error }) => ({ topic, partition, error })),
    );
  }

  async coordinator(group: string): Promise<number> {
    const { coordinators } = await this.#askAny((of) => callApi(of, APIS.findCoordinator, GROUP_KEY, [group]));
    return coordinators[0]?.nodeId ?? UNREACHABLE;
  }

  async join(broker: number, request: JoinRequest): Promise<Joined> {
    const { group, sessionTimeoutMs, rebalanceTimeoutMs, protocol, subscription } = request;
    const to = await this.#to(broker);
    const protocols = [{ name: protocol, metadata: subscription }];
    const times = [sessionTimeoutMs, rebalanceTimeoutMs] as const;
    let memberId = request.memberId;
    let joined = await callApi(to, APIS.joinGroup, group, ...times, memberId, null, 'consumer', protocols);
    if (joined.errorCode === KAFKA.MEMBER_ID_REQUIRED) {
      memberId = joined.memberId;
      joined = await callApi(to, APIS.joinGroup, group, ...times, memberId, null, 'consumer', protocols);
    }
    expectNoError(joined.errorCode, 'joining a group');
    return {
      memberId: joined.memberId,
      generation: joined.generationId,
      leaderId: joined.leader,
      members: joined.members.map((one) => ({ memberId: one.memberId, subscription: Buffer.from(one.metadata) })),
    };
  }

  async sync(
    broker: number,
    { group, memberId, generation }: Member,
    protocol: string,
    assignments: readonly MemberAssignment[],
  ): Promise<Buffer> {
    const to = await this.#to(broker);
    const shares = [...assignments];
    const answer = await callApi(to, APIS.syncGroup, group, generation, memberId, null, 'consumer', protocol, shares);
    expectNoError(answer.errorCode, 'assigning partitions');
    return Buffer.from(answer.assignment);
  }

  async heartbeat(broker: number, { group, memberId, generation }: Member): Promise<void> {
    const { errorCode } = await callApi(await this.#to(broker), APIS.heartbeat, group, generation, memberId, null);
    expectNoError(errorCode, 'staying in a group');
  }

  async leave(broker: number, { group, memberId }: Member): Promise<void> {
    await callApi(await this.#to(broker), APIS.leaveGroup, group, [{ memberId }]);
  }

  async commit(
    broker: number,
    { group, memberId, generation }: Member,
    offsets: readonly CommittedOffset[],
  ): Promise<void> {
    const topics = byTopic(offsets, ({ partition, offset, metadata }) => ({
      partitionIndex: partition,
      committedOffset: offset,
      committedLeaderEpoch: NO_EPOCH,
      committedMetadata: metadata,
    })).map(([name, partitions]) => ({ name, partitions }));
    const answer = await callApi(await this.#to(broker), APIS.offsetCommit, group, generation, memberId, null, topics);
    for (const { errorCode } of answer.topics.flatMap(({ partitions }) => partitions))
      expectNoError(errorCode, 'committing');
  }

  async createTopics(topics: readonly NewTopic[]): Promise<void> {
    const request = topics.map(({ topic, partitions, replicas, configs }) => ({
      name: topic,
      numPartitions: partitions,
      replicationFactor: replicas,
      assignments: [],
      configs: [...configs].map(([name, value]) => ({ name, value })),
    }));
    const answer = await callApi(
      await this.#to(this.#controller),
      APIS.createTopics,
      request,
      PRODUCE_TIMEOUT_MS,
      false,
    );
    for (const { name, errorCode, errorMessage } of answer.topics) {
      if (errorCode === 0 || errorCode === KAFKA.TOPIC_ALREADY_EXISTS) continue;
      throw new KafkaFault(errorCode, `the broker does not make ${name}: ${errorMessage ?? `error ${errorCode}`}`);
    }
  }

  async configs(topics: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const resources = topics.map((resourceName) => ({ resourceType: TOPIC_RESOURCE, resourceName }) as const);
    const { results } = await this.#askAny((of) => callApi(of, APIS.describeConfigs, resources, false));
    return new Map(
      results.map(({ resourceName, errorCode, configs }) => {
        expectNoError(errorCode, `describing ${resourceName}`);
        return [resourceName, new Map(configs.map(({ name, value }) => [name, value ?? '']))];
      }),
    );
  }

  async sizes(broker: number, of: readonly TopicPartition[]): Promise<readonly number[]> {
    const topics = byTopic(of, ({ partition }) => partition).map(([name, partitions]) => ({ name, partitions }));
    const { results: folders } = await callApi(await this.#to(broker), APIS.describeLogDirs, topics);
    const copies = folders.flatMap((folder) => folder.topics.flatMap(({ partitions }) => partitions));
    // One that moves to another folder is there twice.
    return copies.filter(({ isFutureKey: isMoving }) => !isMoving).map(({ partitionSize }) => Number(partitionSize));
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool, this.#fetchPool].map((pool) => closePool(pool)));
  }

  /**
   * Sends a request to any broker: one that is connected, else those of the cluster, then those of the URL, until one
   * answers. A broker can be reachable and still close the connection.
   */
  async #askAny<T>(question: (of: Connection) => Promise<T>): Promise<T> {
    const all = [...this.#brokers.values(), ...this.#seeds];
    const open = all.filter((broker) => this.#pool.getEstablishedConnection(broker)?.isConnected());
    let fault: unknown;
    for (const broker of [...open, ...all]) {
      try {
        return await question(await this.#connect(this.#pool, broker));
      } catch (error) {
        fault = error;
        if (platformaticFault(error).code !== UNREACHABLE) break;
      }
    }
    throw fault;
  }

  #to(broker: number, pool = this.#pool): Promise<Connection> {
    const address = this.#brokers.get(broker);
    if (address !== undefined) return this.#connect(pool, address);
    return Promise.reject(new KafkaFault(UNREACHABLE, `the broker ${broker} is not known`));
  }

  async #connect(pool: ConnectionPool, broker: Broker): Promise<Connection> {
    const connection = await pool.getFirstAvailable([broker]).catch((error: unknown) => {
      throw platformaticFault(error);
    });
    if (!this.#isChecked) {
      const { apiKeys } = await callApi(connection, apiVersionsV0.api, '', '');
      checkVersions(apiKeys);
      this.#isChecked = true;
    }
    return connection;
  }
}

export function openPool(clientId: string, options: ConnectionOptions): ConnectionPool {
  const pool = new ConnectionPool(clientId, options);
  pool.on('connecting', ({ connection }) => listenTo(connection));
  return pool;
}

/** Closes at once. The library's own close waits for queued requests and for answers. */
export async function closePool(pool: ConnectionPool): Promise<void> {
  for (const [, connection] of pool) connection.socket?.destroy();
  await pool.close().catch(() => undefined);
}
