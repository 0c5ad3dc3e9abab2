import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { KafkaProxy } from '../faults/kafka/kafka-proxy.ts';
import { TcpProxy } from '../faults/tcp-proxy.ts';
import { startClickHouse } from '../servers/clickhouse.ts';
import { startKafka } from '../servers/kafka.ts';
import { freePort, freePorts } from '../servers/processes/ports.ts';
import { startPostgres } from '../servers/postgres.ts';
import { removeServersFolder, serversFolder } from '../servers/processes/reaped.ts';
import { startRegistry } from '../servers/registry.ts';
import type { ServerControls } from '../servers/processes/server-process.ts';
import { ADMIN_KEY, READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { freshDatabase } from '../support/stores/fresh-database.ts';
import type { StoreUrls } from '../support/stores/new-stores.ts';
import { diskTargets } from './embedded-scene.ts';
import { brokerConnectionTarget, connectionTarget } from './proxy-target.ts';
import { backupSettings, CLOCK_TRUST_AFTER_MS, processTarget, type Scene, type Target } from './scene.ts';
import type { FaultKind } from './schedule.ts';
import { SlowDisk } from './disks/slow-disk.ts';
import { SmallDisk } from './disks/small-disk.ts';
import { Supervised } from './supervised.ts';

export interface ServersOptions {
  /** 1 or 3. */
  readonly brokers: number;
  /** Processes of each role; the first of ingest has two of its own. Two unless told. */
  readonly processes?: number;
  /** Settings of the service, beside those that name its servers. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether the servers' disks cannot fill up: they are not 4 GiB of memory each. */
  readonly largeDisks?: boolean;
}

const DISK_MEBIBYTES = 4_096;
// It takes its disk for full with this much left. libchdb, which is the server here, counts a write that fails for lack of
// space as successful, so that a part or the record of a deletion would be cut short.
const CLICKHOUSE_KEEPS_KIBIBYTES = 65_536;
const KEEPS = `<keep_free_space_bytes>${CLICKHOUSE_KEEPS_KIBIBYTES * 1_024}</keep_free_space_bytes>`;
const CLICKHOUSE_KEEPS = `<storage_configuration><disks><default>${KEEPS}</default></disks></storage_configuration>`;
const LOOK_AFTER_SERVERS_MS = 1_000;

/** Kafka, registry, Postgres and ClickHouse of its own, and processes of every role. */
export async function serversScene(options: ServersOptions): Promise<Scene> {
  const folder = await serversFolder();
  const slowDisk = await SlowDisk.make(folder);
  // What servers are started with, they inherit.
  Object.assign(process.env, slowDisk?.environment);
  const servers = await Servers.start(folder, options);
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing) await end();
    await servers.close();
    for (const name of Object.keys(slowDisk?.environment ?? {})) delete process.env[name];
    await removeServersFolder(folder);
  };
  const sceneOn = async (name: string, stores: StoreUrls): Promise<Scene> => {
    const settings = { ...options.settings, ...backupSettings(folder) };
    const { end, scene } = await rolesOn({ folder: join(folder, name), stores, servers, slowDisk }, settings, options);
    closing.push(end);
    return { ...scene, emptied: async () => sceneOn(`${name}-emptied`, await emptyStores(servers.stores)), close };
  };
  return sceneOn('service', servers.stores);
}

/** New databases, and topics under a prefix, on the same servers. */
async function emptyStores({ EVENT_LOG_URL, PROFILES_URL, ANALYTICS_URL }: StoreUrls): Promise<StoreUrls> {
  const [profiles, analytics] = [await freshDatabase(PROFILES_URL), await freshDatabase(ANALYTICS_URL)];
  return {
    EVENT_LOG_URL: `${EVENT_LOG_URL}?topic_prefix=emptied.`,
    PROFILES_URL: profiles.url,
    ANALYTICS_URL: analytics.url,
  };
}

interface RolesParts {
  /** For what the processes have of their own. */
  readonly folder: string;
  /** Past the proxies. */
  readonly stores: StoreUrls;
  readonly servers: Servers;
  readonly slowDisk: SlowDisk | undefined;
}

/** Processes of every role on these stores. */
async function rolesOn(
  { folder, stores, servers, slowDisk }: RolesParts,
  settings: Readonly<Record<string, string>> & ReturnType<typeof backupSettings>,
  { processes: count = 2 }: ServersOptions,
): Promise<{ readonly scene: Omit<Scene, 'emptied' | 'close'>; readonly end: () => Promise<void> }> {
  const dataDir = join(folder, 'commands');
  await mkdir(dataDir, { mode: 0o700, recursive: true });
  const { postgres, clickhouse, registry } = servers.proxies;
  const environment = {
    ...settings,
    INITIAL_WRITE_KEY: WRITE_KEY,
    INITIAL_READ_KEY: READ_KEY,
    INITIAL_ADMIN_KEY: ADMIN_KEY,
    CLOCK_TRUST_AFTER_MS,
    DATA_DIR: dataDir,
    PROFILES_URL: byWayOf(postgres, stores.PROFILES_URL),
    ANALYTICS_URL: byWayOf(clickhouse, stores.ANALYTICS_URL),
    SCHEMA_REGISTRY_URL: registry.url,
    EVENT_LOG_URL: stores.EVENT_LOG_URL,
  };
  const processes = await processesOf(folder, environment, count);
  const ingest = processes.filter(({ name }) => name.startsWith('ingest'));
  const doors = await Promise.all(ingest.map(({ url }) => TcpProxy.before(url)));
  const disks = diskTargets(slowDisk, undefined);
  const spaces = servers.disks.flatMap(
    ([name, disk]) =>
      diskTargets(undefined, disk, name, name === 'clickhouse' ? CLICKHOUSE_KEEPS_KIBIBYTES : 0).targets,
  );
  const targets: Target[] = [
    ...processes.map((one) => processTarget(one, one.name === 'ingest-1' ? ['kill child'] : [])),
    ...servers.targets,
    ...doors.map((door, index) => connectionTarget(`callers of ${ingest[index]?.name}`, door)),
    ...disks.targets,
    ...spaces,
  ];
  const scene = {
    form: 'servers',
    targets,
    doors: doors.map(({ url }) => new URL(url).origin),
    environment,
    stores,
    processes,
    skipped: [
      ...disks.skipped.filter((what) => !what.startsWith('full') || spaces.length === 0),
      'kill -9 of the registry (what Apicurio holds here is in memory)',
    ],
    serverDeaths: servers.deaths,
    backupFolder: settings.BACKUP_DIR,
    heal: async () => {
      for (const target of targets) for (const kind of target.kinds) if (isLasting(kind)) await target.end(kind);
      await servers.ready();
      for (const one of processes) one.launch();
    },
  };
  const end = async (): Promise<void> => {
    for (const door of doors) door.close();
    await Promise.all(processes.map((one) => one.kill()));
  };
  return { scene, end };
}

/** The same database, through the proxy. */
function byWayOf(proxy: TcpProxy, url: string): string {
  const way = new URL(url);
  way.port = new URL(proxy.url).port;
  return way.href;
}

function isLasting(kind: FaultKind): boolean {
  return !['kill', 'restart', 'cut', 'kill child'].includes(kind);
}

async function processesOf(
  folder: string,
  environment: Readonly<Record<string, string>>,
  count: number,
): Promise<readonly Supervised[]> {
  const names = ['ingest', 'projector', 'sink'].flatMap((role) => {
    return Array.from({ length: count }, (_, index) => ({ role, name: `${role}-${index + 1}` }));
  });
  const ports = await freePorts(names.length);
  return Promise.all(
    names.map(async ({ role, name }, index) => {
      const own = join(folder, name);
      await mkdir(own, { mode: 0o700 });
      const more = { DATA_DIR: own, ...(name === 'ingest-1' && count > 1 && { INGEST_PROCESSES: '2' }) };
      return new Supervised({ name, role, port: ports[index] ?? 0, folder, environment: { ...environment, ...more } });
    }),
  );
}

interface Broker {
  readonly name: string;
  readonly controls: ServerControls;
  readonly proxy: KafkaProxy;
}

/** The four servers, each behind a proxy, on disks of their own where that can be; started again where they end. */
class Servers {
  readonly stores: Scene['stores'];
  readonly proxies: Readonly<Record<'postgres' | 'clickhouse' | 'registry', TcpProxy>>;
  readonly brokers: readonly Broker[];
  readonly disks: readonly (readonly [string, SmallDisk])[];
  readonly targets: readonly Target[];
  readonly deaths: string[] = [];
  readonly #servers: ReadonlyMap<string, ServerControls>;
  /** Those that are down because a fault wants it so. */
  readonly #down = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  private constructor(
    parts: Pick<Servers, 'stores' | 'proxies' | 'brokers' | 'disks'>,
    servers: ReadonlyMap<string, ServerControls>,
  ) {
    this.stores = parts.stores;
    this.proxies = parts.proxies;
    this.brokers = parts.brokers;
    this.disks = parts.disks;
    this.#servers = servers;
    this.targets = [
      ...[...servers].map(([name, controls]) => this.#target(name, controls)),
      ...Object.entries(this.proxies).map(([name, proxy]) => connectionTarget(`way to ${name}`, proxy)),
      ...this.brokers.map(({ name, proxy }) => brokerConnectionTarget(`way to ${name}`, proxy)),
    ];
    this.#timer = setInterval(() => this.#lookAfter(), LOOK_AFTER_SERVERS_MS);
  }

  static async start(folder: string, { brokers: brokerCount, largeDisks = false }: ServersOptions): Promise<Servers> {
    const brokerNames = Array.from({ length: brokerCount }, (_, index) => `broker-${index + 1}`);
    const folders = [...brokerNames.map((name) => [name, join('kafka', name)]), ['postgres'], ['clickhouse']];
    const disks = await Promise.all(
      (SmallDisk.canMount && !largeDisks ? folders : []).map(
        async ([name = '', path = name]) => [name, await SmallDisk.mount(join(folder, path), DISK_MEBIBYTES)] as const,
      ),
    );
    const ports = await freePorts(brokerCount);
    const kafkaProxies = await Promise.all(ports.map((port) => KafkaProxy.listen(port)));
    const [kafka, postgres, clickhouse, registry] = await Promise.all([
      startKafka({ folder: join(folder, 'kafka'), brokers: brokerCount, advertisedPorts: ports, heapMb: 384 }),
      startPostgres({ folder: join(folder, 'postgres'), settings: { max_connections: '200' } }),
      startClickHouse({ folder: join(folder, 'clickhouse'), config: CLICKHOUSE_KEEPS }),
      startRegistry({ folder: join(folder, 'registry'), port: await freePort() }),
    ]);
    const brokers = kafka.brokers.map((controls, index) => {
      const proxy = kafkaProxies[index] as KafkaProxy;
      proxy.brokerPort = controls.port;
      return { name: brokerNames[index] ?? '', controls, proxy };
    });
    const servers = new Map<string, ServerControls>([
      ...brokers.map(({ name, controls }) => [name, controls] as const),
      ['postgres', postgres],
      ['clickhouse', clickhouse],
      ['registry', registry],
    ]);
    const proxies = {
      postgres: await TcpProxy.before(postgres.url),
      clickhouse: await TcpProxy.before(clickhouse.url),
      registry: await TcpProxy.before(registry.url),
    };
    const stores = { EVENT_LOG_URL: kafka.url, PROFILES_URL: postgres.url, ANALYTICS_URL: clickhouse.url };
    return new Servers(
      {
        stores: {
          ...stores,
          EVENT_LOG_URL: `kafka://${brokers.map(({ proxy }) => `127.0.0.1:${proxy.port}`).join(',')}`,
        },
        proxies,
        brokers,
        disks,
      },
      servers,
    );
  }

  /** Resolves once every server answers. */
  async ready(): Promise<void> {
    this.#down.clear();
    await Promise.all([...this.#servers.values()].map((controls) => controls.start()));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#servers.values()].map((controls) => controls.kill()));
    for (const proxy of Object.values(this.proxies)) proxy.close();
    await Promise.all(this.brokers.map(({ proxy }) => proxy.close()));
    for (const [, disk] of this.disks) await disk.unmount();
  }

  #lookAfter(): void {
    for (const [name, controls] of this.#servers) {
      if (this.#down.has(name) || controls.isRunning()) continue;
      this.deaths.push(name);
      controls.launch();
    }
  }

  #target(name: string, controls: ServerControls): Target {
    return {
      name,
      kinds: name === 'registry' ? ['pause'] : ['kill', 'pause', 'restart'],
      begin: async (kind) => {
        if (kind === 'pause') controls.pause();
        if (kind === 'pause') return;
        this.#down.add(name);
        await (kind === 'kill' ? controls.kill() : controls.stop());
      },
      end: (kind) => {
        if (kind === 'pause') controls.resume();
        if (kind === 'pause') return;
        this.#down.delete(name);
        controls.launch();
      },
    };
  }
}
