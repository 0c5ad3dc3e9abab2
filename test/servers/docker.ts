import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type * as testcontainers from 'testcontainers';
import type { GenericContainer, StartedTestContainer } from 'testcontainers';
import { defaultsOf, readCompose } from '../support/service/compose.ts';
import { seesBrokers } from './kafka.ts';
import { replicationSettings, QUICK_SETTINGS } from './kafka-settings.ts';
import type { Started } from './local.ts';
import { freePort } from './processes/ports.ts';
import type { StartedName } from './server.ts';

const NAME = 'tidemark';
const START_WITHIN_MS = 120_000;
const ANSWER_WITHIN_MS = 30_000;

/**
 * Servers as containers, of the versions that docker-compose.yml pins. Three brokers are never: what wants three also kills one.
 *
 * @throws Error where no engine answers, or it has no such image and cannot fetch it.
 */
export const startInDocker: Record<Exclude<StartedName, 'kafka3' | 'clickhouse-shards'>, () => Promise<Started>> = {
  async postgres() {
    const container = await startContainer('postgres', 5432, (image, { Wait }) =>
      image
        .withEnvironment({ POSTGRES_USER: NAME, POSTGRES_PASSWORD: NAME, POSTGRES_DB: NAME })
        .withCommand(['postgres', '-c', 'max_connections=200', '-c', 'fsync=off'])
        // Asked by TCP: while it sets itself up, it listens on its socket alone.
        .withHealthCheck({ test: ['CMD-SHELL', `pg_isready -h 127.0.0.1 -U ${NAME}`], interval: 250, retries: 400 })
        .withWaitStrategy(Wait.forHealthCheck()),
    );
    return running(container, `postgres://${NAME}:${NAME}@${addressOf(container, 5432)}/${NAME}`);
  },
  async clickhouse() {
    const container = await startContainer('clickhouse/clickhouse-server', 8123, clickHouse);
    return running(container, `http://${NAME}:${NAME}@${addressOf(container, 8123)}/${NAME}`);
  },
  async 'clickhouse-cluster'() {
    // A cluster of one replica, its own keeper: what is defined and how an insert is acknowledged is as with more.
    const container = await startContainer('clickhouse/clickhouse-server', 8123, (image, tools) =>
      clickHouse(image, tools).withCopyContentToContainer([
        { content: CLUSTER, target: '/etc/clickhouse-server/config.d/cluster.xml' },
      ]),
    );
    await untilResolves(container, () => definesOnCluster(addressOf(container, 8123)));
    return running(container, `http://${NAME}:${NAME}@${addressOf(container, 8123)}/${NAME}?cluster=${NAME}`);
  },
  async registry() {
    const container = await startContainer('apicurio/apicurio-registry', 8080, (image, { Wait }) =>
      image.withWaitStrategy(Wait.forHttp('/apis/ccompat/v7/subjects', 8080)),
    );
    return running(container, `http://${addressOf(container, 8080)}/apis/ccompat/v7`);
  },
  async kafka() {
    const { getContainerRuntimeClient } = await import('testcontainers');
    const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
    // Brokers tell clients their address, so it must be known before they start.
    const port = await freePort();
    const address = `${numeric(host)}:${port}`;
    const container = await startContainer('apache/kafka', { container: 9092, host: port }, (image) =>
      image.withEnvironment(kafkaEnvironment(address)),
    );
    await untilResolves(container, () => seesBrokers(address, [1]));
    return running(container, `kafka://${address}`);
  },
};

type Tools = typeof testcontainers;
type Port = number | { readonly container: number; readonly host: number };

async function startContainer(
  repository: string,
  port: Port,
  configure: (image: GenericContainer, tools: Tools) => GenericContainer,
): Promise<StartedTestContainer> {
  const tools = await import('testcontainers');
  const image = new tools.GenericContainer(pinnedImage(repository));
  return configure(image, tools).withExposedPorts(port).withStartupTimeout(START_WITHIN_MS).start();
}

export function pinnedImage(repository: string): string {
  const { services } = readCompose(join(import.meta.dirname, '../../docker-compose.yml'));
  const images = Object.values(services).map(({ image }) => defaultsOf(image));
  const image = images.find((name) => name.startsWith(`${repository}:`));
  if (image === undefined) throw new Error(`docker-compose.yml pins no ${repository}`);
  return image;
}

function clickHouse(image: GenericContainer, { Wait }: Tools): GenericContainer {
  return image
    .withEnvironment({ CLICKHOUSE_USER: NAME, CLICKHOUSE_PASSWORD: NAME, CLICKHOUSE_DB: NAME })
    .withCopyFilesToContainer([
      {
        source: join(import.meta.dirname, '../../deploy/clickhouse/tidemark.xml'),
        target: '/etc/clickhouse-server/config.d/tidemark.xml',
      },
    ])
    .withWaitStrategy(Wait.forHttp('/ping', 8123));
}

/** Its keeper is up a moment after it answers. */
async function definesOnCluster(address: string): Promise<void> {
  const sql = `create database if not exists ${NAME}_probe on cluster ${NAME}`;
  const headers = { 'x-clickhouse-user': NAME, 'x-clickhouse-key': NAME };
  const response = await fetch(`http://${address}/`, { method: 'POST', body: sql, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
}

/** The image takes `a.b.c` as `KAFKA_A_B_C`; setting one replaces all of its defaults. */
function kafkaEnvironment(advertised: string): Record<string, string> {
  const settings = {
    'node.id': 1,
    'process.roles': 'broker,controller',
    'controller.quorum.voters': '1@localhost:9093',
    listeners: 'CLIENT://:9092,INTERNAL://:19092,CONTROLLER://:9093',
    'advertised.listeners': `CLIENT://${advertised},INTERNAL://localhost:19092`,
    'listener.security.protocol.map': 'CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INTERNAL',
    'controller.listener.names': 'CONTROLLER',
    'heap.opts': '-Xmx256m',
    ...replicationSettings(1),
    ...QUICK_SETTINGS,
  };
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`KAFKA_${key.toUpperCase().replaceAll('.', '_')}`, String(value)]),
  );
}

function addressOf(container: StartedTestContainer, port: number): string {
  return `${numeric(container.getHost())}:${container.getMappedPort(port)}`;
}

/** Where `localhost` is `::1` too, Docker may have given that port to another container. */
function numeric(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** Stops the container where `ask` still rejects after half a minute. */
async function untilResolves(container: StartedTestContainer, ask: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + ANSWER_WITHIN_MS; ; await wait(100)) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() <= deadline) continue;
      await container.stop();
      throw error;
    }
  }
}

function running(container: StartedTestContainer, url: string): Started {
  return { url, stop: async () => void (await container.stop()) };
}

/** What lets replicas agree, inside of the server of this name. */
export function coordinationAt(host: string): string {
  return `<keeper_server>
    <tcp_port>9181</tcp_port>
    <server_id>1</server_id>
    <raft_configuration><server><id>1</id><hostname>${host}</hostname><port>9234</port></server></raft_configuration>
  </keeper_server>`;
}

const CLUSTER = `<clickhouse>
  ${coordinationAt('localhost')}
  <zookeeper><node><host>localhost</host><port>9181</port></node></zookeeper>
  <macros><shard>1</shard><replica>1</replica></macros>
  <remote_servers replace="true">
    <${NAME}><shard>
      <internal_replication>true</internal_replication>
      <replica><host>localhost</host><port>9000</port><user>${NAME}</user><password>${NAME}</password></replica>
    </shard></${NAME}>
  </remote_servers>
  <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
</clickhouse>
`;
