import { type StartedNetwork, type StartedTestContainer } from 'testcontainers';
import { coordinationAt, pinnedImage } from '../../servers/docker.ts';
import { freePort } from '../../servers/processes/ports.ts';

const NAME = 'tidemark';
const HTTP = 8123;
const REPLICA_WITHIN_MS = 120_000;

export interface Replica {
  /** As `ANALYTICS_URL`, with the cluster of both. */
  readonly url: string;
  readonly kill: () => Promise<void>;
  /** Again, at the same address; resolves once it answers. */
  readonly start: () => Promise<void>;
}

export interface Replicas {
  readonly both: readonly [Replica, Replica];
  readonly stop: () => Promise<void>;
}

/** Two replicas of one shard and what coordinates them, as containers. Undefined, with a line that says why, where there is no engine. */
export async function startReplicas(): Promise<Replicas | undefined> {
  const { getContainerRuntimeClient, Network } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch (error) {
    process.stderr.write(
      `no two replicas for these tests: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return undefined;
  }
  const network = await new Network().start();
  const started: StartedTestContainer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((container) => container.stop()));
    await network.stop();
  };
  try {
    started.push(await startServer(network, 'coordination', COORDINATION));
    const both: Replica[] = [];
    for (const number of [1, 2]) {
      const port = await freePort();
      const container = await startServer(network, `replica-${number}`, ofReplica(number), port);
      started.push(container);
      both.push(await replicaOf(container, port));
    }
    return { both: both as unknown as Replicas['both'], stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServer(
  network: StartedNetwork,
  alias: string,
  content: string,
  port?: number,
): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  return new GenericContainer(pinnedImage('clickhouse/clickhouse-server'))
    .withEnvironment({ CLICKHOUSE_USER: NAME, CLICKHOUSE_PASSWORD: NAME, CLICKHOUSE_DB: NAME })
    .withNetwork(network)
    .withNetworkAliases(alias)
    .withHostname(alias)
    .withCopyContentToContainer([{ content, target: '/etc/clickhouse-server/config.d/replicas.xml' }])
    .withExposedPorts(port === undefined ? HTTP : { container: HTTP, host: port })
    .withWaitStrategy(Wait.forHttp('/ping', HTTP))
    .withStartupTimeout(REPLICA_WITHIN_MS)
    .start();
}

/** The library's own way to stop a container removes it. */
async function replicaOf(container: StartedTestContainer, port: number): Promise<Replica> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId());
  const host = container.getHost() === 'localhost' ? '127.0.0.1' : container.getHost();
  const answers = async (): Promise<boolean> =>
    fetch(`http://${host}:${port}/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  return {
    url: `http://${NAME}:${NAME}@${host}:${port}/${NAME}?cluster=${NAME}`,
    kill: async () => void (await handle.kill()),
    start: async () => {
      await handle.start();
      while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 100));
    },
  };
}

const COORDINATION = `<clickhouse>
  ${coordinationAt('coordination')}
  <listen_host>0.0.0.0</listen_host>
</clickhouse>
`;

const ofReplica = (number: number): string => `<clickhouse>
  <listen_host>0.0.0.0</listen_host>
  <zookeeper><node><host>coordination</host><port>9181</port></node></zookeeper>
  <macros><shard>1</shard><replica>${number}</replica></macros>
  <remote_servers replace="true">
    <${NAME}><shard>
      <internal_replication>true</internal_replication>
      ${[1, 2]
        .map(
          (one) =>
            `<replica><host>replica-${one}</host><port>9000</port><user>${NAME}</user><password>${NAME}</password></replica>`,
        )
        .join('')}
    </shard></${NAME}>
  </remote_servers>
  <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
</clickhouse>
`;
