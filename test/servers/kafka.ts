import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { makeCertificates, type Certificates } from './certificates.ts';
import { findJava } from './java.ts';
import { brokerSettings, type BrokerPorts } from './kafka-settings.ts';
import { mavenFiles } from './maven.ts';
import { freePorts } from './processes/ports.ts';
import { controlsOf, runTool, ServerProcess, startTogether, type ServerControls } from './processes/server-process.ts';

export interface KafkaOptions {
  /** An empty or missing folder, which holds all of the brokers. */
  readonly folder: string;
  /** 1 unless told; three make topics with three replicas of which two must be in sync. */
  readonly brokers?: number;
  /** The client port of each broker, instead of free ones. */
  readonly ports?: readonly number[];
  /** What each broker tells clients to use instead of its own port, where a proxy stands before it. */
  readonly advertisedPorts?: readonly number[];
  /** The one user, by PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512. */
  readonly sasl?: { readonly user: string; readonly password: string };
  /**
   * Users beside `SUPERUSER` with a listener of their own, by PLAIN, the name the password, who may do what ACLs allow them.
   * Whoever comes to the other listeners may do everything.
   */
  readonly users?: readonly string[];
  /** Clients sign in by tokens that nobody signed (OAUTHBEARER), again and again after this time. */
  readonly tokensForMs?: number;
  /** Clients must use TLS, and show a certificate of their own if that is `mutual`; `KafkaCluster.certificates` has both. */
  readonly tls?: boolean | 'mutual';
  /** 256 unless told. */
  readonly heapMb?: number;
  /** `quickly` (unless told) spares a short test the work of Java's second compiler; `fully` is for load. */
  readonly compile?: 'quickly' | 'fully';
  /** Settings of `server.properties`, over ours. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export interface KafkaBroker extends ServerControls {
  /** The port of its client listener. */
  readonly port: number;
  readonly id: number;
}

export interface KafkaCluster {
  /** Without user, password and TLS, whatever the options. */
  readonly url: string;
  /** Where the brokers speak with each other: for who signs in by nothing. */
  readonly internalUrl: string;
  /** Where the `users` sign in, if there are any, without one. */
  readonly usersUrl?: string;
  readonly brokers: readonly KafkaBroker[];
  /** Where there is TLS. */
  readonly certificates: Certificates | undefined;
  readonly stop: () => Promise<void>;
}

/** Apache Kafka 4.3.1 in KRaft mode, each node broker and controller. Resolves once all brokers have found each other. */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  const java = await findJava();
  const jars = await mavenFiles('kafka-jars.sha256');
  await mkdir(options.folder, { recursive: true });
  const certificates = options.tls ? await makeCertificates(join(options.folder, 'certificates')) : undefined;
  const ports = await brokerPorts(options);
  const id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url').replace(/^-/, 'A');
  const cluster: Cluster = { id, java, classpath: jars.join(delimiter), ports, certificates, options, complete: false };
  const brokers = await Promise.all(ports.map((_, i) => prepareBroker(cluster, i + 1)));
  await startTogether(brokers);
  cluster.complete = true;
  const urlOf = (port: keyof BrokerPorts): string =>
    `kafka://${ports.map(({ [port]: own }) => `127.0.0.1:${own}`).join(',')}`;
  return {
    url: urlOf('advertised'),
    internalUrl: urlOf('internal'),
    ...(options.users && { usersUrl: urlOf('users') }),
    brokers: brokers.map((broker, i) => ({ id: i + 1, port: ports[i]!.client, ...controlsOf(broker) })),
    certificates,
    // Asked to stop, the last broker would wait for a quorum to hand its leaderships to.
    stop: async () => void (await Promise.all(brokers.map((broker) => broker.kill()))),
  };
}

interface Cluster {
  readonly id: string;
  readonly java: string;
  readonly classpath: string;
  readonly ports: readonly BrokerPorts[];
  readonly certificates: Certificates | undefined;
  readonly options: KafkaOptions;
  /** All brokers have seen each other once; from then on one may come back while others are unreachable. */
  complete: boolean;
}

async function prepareBroker(cluster: Cluster, id: number): Promise<ServerProcess> {
  const { ports, options, certificates } = cluster;
  const folder = join(options.folder, `broker-${id}`);
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'server.properties');
  await writeFile(file, brokerSettings({ id, folder, all: ports, certificates: certificates?.folder }, options));
  await writeFile(join(folder, 'log4j2.properties'), LOGGING);
  await format(cluster, file);
  const heap = [`-Xmx${options.heapMb ?? 256}m`, ...(options.compile === 'fully' ? ['-XX:+UseSerialGC'] : QUICK_JVM)];
  const logging = `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`;
  return new ServerProcess({
    name: `Kafka broker ${id}`,
    command: cluster.java,
    args: [...heap, logging, '-cp', cluster.classpath, 'kafka.Kafka', file],
    cwd: folder,
    log: join(folder, 'kafka.log'),
    stopSignal: 'SIGTERM',
    answers: () =>
      seesBrokers(`127.0.0.1:${ports[id - 1]!.internal}`, cluster.complete ? [id] : ports.map((_, i) => i + 1)),
  });
}

async function format({ id, java, classpath, options: { sasl } }: Cluster, file: string): Promise<void> {
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) =>
    sasl === undefined ? [] : ['--add-scram', `${mechanism}=[name=${sasl.user},password=${sasl.password}]`],
  );
  const tool = ['-cp', classpath, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', file];
  await runTool(java, ['-Xmx128m', ...QUICK_JVM, ...tool, ...users]);
}

async function brokerPorts(options: KafkaOptions): Promise<BrokerPorts[]> {
  const count = options.brokers ?? 1;
  const free = await freePorts(count * 4);
  return Array.from({ length: count }, (_, i) => {
    const [first, internal, controller, users] = free.slice(i * 4, i * 4 + 4) as [number, number, number, number];
    const client = options.ports?.[i] ?? first;
    const advertised = options.advertisedPorts?.[i] ?? client;
    return { client, advertised, internal, controller, ...(options.users && { users }) };
  });
}

/** Rejects unless the broker at `address`, which wants no password, sees the `wanted` ones. */
export async function seesBrokers(address: string, wanted: readonly number[]): Promise<void> {
  const kafka = new Kafka({
    brokers: [address],
    connectionTimeout: 1_000,
    requestTimeout: 2_000,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const missing = wanted.filter((id) => !brokers.some(({ nodeId }) => nodeId === id));
    if (missing.length > 0) throw new Error(`does not see broker ${missing.join(', ')}`);
  } finally {
    await admin.disconnect();
  }
}

// Little memory, quickly up: no time is spent on compiling what a test calls a few times.
const QUICK_JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

const LOGGING = `
rootLogger.level = WARN
rootLogger.appenderRef.out.ref = Out
appender.out.type = Console
appender.out.name = Out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d %p %c{1} %m%n
`;
