import { type KafkaBroker, startKafka } from '../../servers/kafka.ts';
import { freePorts } from '../../servers/processes/ports.ts';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { KafkaProxy } from './kafka-proxy.ts';

/** A broker with the proxy that its clients reach it by; the brokers reach each other without. */
export class ProxiedBroker {
  readonly id: number;
  readonly proxy: KafkaProxy;
  readonly #process: KafkaBroker;

  constructor(process: KafkaBroker, proxy: KafkaProxy) {
    this.id = process.id;
    this.proxy = proxy;
    this.#process = process;
    proxy.brokerPort = process.port;
  }

  /** By SIGKILL. Clients are refused then, as where no proxy is. */
  async kill(): Promise<void> {
    await this.#process.kill();
    this.proxy.refuse();
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    this.proxy.refuse();
  }

  /** Resolves once it answers. */
  async start(): Promise<void> {
    await this.#process.start();
    await this.proxy.accept();
  }
}

/** A Kafka cluster of one test file, each broker behind a proxy of its own. */
export class ProxiedKafka {
  readonly brokers: readonly ProxiedBroker[];
  readonly #folder: string;

  private constructor(brokers: readonly ProxiedBroker[], folder: string) {
    this.brokers = brokers;
    this.#folder = folder;
  }

  static async start(brokers: number): Promise<ProxiedKafka> {
    const ports = await freePorts(brokers);
    const proxies = await Promise.all(ports.map((port) => KafkaProxy.listen(port)));
    const folder = await serversFolder();
    const cluster = await startKafka({ folder, brokers, advertisedPorts: ports });
    return new ProxiedKafka(
      cluster.brokers.map((process, i) => new ProxiedBroker(process, proxies[i] as KafkaProxy)),
      folder,
    );
  }

  /** The proxies, as `host:port`. */
  get addresses(): readonly string[] {
    return this.brokers.map(({ proxy }) => `127.0.0.1:${proxy.port}`);
  }

  /** By the client that is the default unless told. */
  url(client?: 'kafkajs' | 'platformatic'): string {
    return `kafka://${this.addresses.join(',')}${client === undefined ? '' : `?client=${client}`}`;
  }

  /** Ends every fault of the proxies. */
  async heal(): Promise<void> {
    for (const { proxy } of this.brokers) await proxy.heal();
  }

  /** Without grace: a broker that loses its quorum while it stops waits for it, and nobody needs the data. */
  async stop(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.kill()));
    await Promise.all(this.brokers.map(({ proxy }) => proxy.close()));
    await removeServersFolder(this.#folder);
  }
}
