import { createRequire } from 'node:module';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ISocketFactory, Kafka, type KafkaConfig, logLevel, type SASLOptions } from 'kafkajs';
import { UNREACHABLE } from '../faults.ts';
import { type Cluster, kafkajsFault } from './internals.ts';
import type { KafkaSettings } from '../url.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;

/** kafkajs/src/network/requestQueue/index.js: one a connection. */
interface RequestQueue {
  /** Requests delayed by the broker's throttling. */
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

const { prototype: queues } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  readonly prototype: RequestQueue;
};
// From its first answer on, a queue checks every millisecond whether requests are delayed, without end (issue 1751 of kafkajs;
// Node warns of the first time): an idle service used 12 % of a processor. Delaying a request schedules the check anyway.
const { scheduleCheckPendingRequests: schedule } = queues;
queues.scheduleCheckPendingRequests = function scheduleWherePending(): void {
  if (this.pending.length > 0) schedule.call(this);
};

function configOf({ brokers, clientId, sasl, tls }: KafkaSettings): KafkaConfig {
  return {
    brokers: [...brokers],
    clientId,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Every broker of the URL once. The caller retries.
    retry: { retries: brokers.length, initialRetryTime: 50, maxRetryTime: 50, multiplier: 1 },
    // It would print to standard output. Errors are thrown anyway.
    logLevel: logLevel.NOTHING,
    logCreator: () => () => undefined,
    ...(tls && { ssl: tls }),
    // A copy, because kafkajs modifies it.
    ...(sasl && { sasl: { ...sasl } as SASLOptions }),
  };
}

/** The cluster object of a client, not yet connected. kafkajs passes it to a custom assigner only. */
export function clusterOf(settings: KafkaSettings, sockets: Sockets): Cluster {
  const kafka = new Kafka({ ...configOf(settings), socketFactory: sockets.factory });
  let found: unknown;
  kafka.consumer({
    groupId: 'unused',
    allowAutoTopicCreation: false,
    partitionAssigners: [
      ({ cluster }) => {
        found = cluster;
        return {
          name: 'unused',
          version: 0,
          assign: () => Promise.resolve([]),
          protocol: () => ({ name: 'unused', metadata: Buffer.alloc(0) }),
        };
      },
    ],
  });
  return found as Cluster;
}

/** kafkajs tries another broker of the URL only where one refuses connections, not where it accepts and closes them. */
export async function connectToAny(cluster: Cluster, seeds: number): Promise<void> {
  for (let left = seeds; ; left--) {
    try {
      return await cluster.connect();
    } catch (error) {
      if (left <= 1 || kafkajsFault(error).code !== UNREACHABLE) throw error;
      await cluster.brokerPool.createSeedBroker();
    }
  }
}

/** The connections of one client. Closing them through kafkajs would wait for pending answers. */
export class Sockets {
  readonly #open = new Set<Socket>();
  #destroyed = false;

  readonly factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    if (this.#destroyed) throw new Error('the connections are closed');
    // A TLS server name is a host name, never an address.
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = ssl
      ? connectTls({ host, port, ...servername, ...ssl }, onConnect)
      : connect({ host, port }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      // kafkajs calls it repeatedly on closed sockets, and each call would add a listener.
      socket.unref = () => socket;
    });
    return socket;
  };

  destroy(): void {
    this.#destroyed = true;
    for (const socket of this.#open) socket.destroy(new Error('the connections are closed'));
  }
}
