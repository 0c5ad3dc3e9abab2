import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { correlationIdOf, FrameSplitter, PRODUCE, requestHeadOf, type RequestHead } from './kafka-frames.ts';
import { Lane } from '../lane.ts';

/**
 * What happens to a produce request:
 * - `pass`: nothing.
 * - `lose response`: the broker gets it and answers; the answer is dropped and the connection cut.
 * - `cut`: the broker gets half of it, then the connection is cut.
 * - `freeze`: the broker gets it; from then on nothing flows on this connection, which stays open.
 */
export type ProduceFault = 'pass' | 'lose response' | 'cut' | 'freeze';

/**
 * Stands before one broker, on a port that the broker must advertise as its own. Reads frame heads only, so it serves
 * any client without TLS.
 */
export class KafkaProxy {
  /** Where the broker listens: to be set once that is known. */
  brokerPort = 0;
  /** Asked for every produce request. */
  onProduce: (request: RequestHead) => ProduceFault = () => 'pass';
  /** How long requests and responses are held back: milliseconds. */
  requestDelayMs = 0;
  responseDelayMs = 0;
  readonly #server: Server;
  readonly #port: number;
  readonly #connections = new Set<ProxiedConnection>();
  readonly #hits = new Map<ProduceFault, number>();

  private constructor(server: Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => this.#accept(client));
  }

  /** @param port A free one: below those that the system hands out, where the proxy is to refuse and accept again. */
  static async listen(port: number): Promise<KafkaProxy> {
    const server = createServer();
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return new KafkaProxy(server);
  }

  get port(): number {
    return this.#port;
  }

  /** How many produce requests had this done to them. */
  hits(fault: ProduceFault): number {
    return this.#hits.get(fault) ?? 0;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Cuts every connection; new ones are accepted. */
  cut(): void {
    for (const connection of this.#connections) connection.cut();
  }

  /** Cuts every connection, and the system refuses new ones until `accept`. */
  refuse(): void {
    this.#server.close();
    this.cut();
  }

  async accept(): Promise<void> {
    if (!this.#server.listening) await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
  }

  /** Holds everything back, both ways, on every connection open now; new ones flow. */
  freeze(): void {
    for (const connection of this.#connections) connection.freeze();
  }

  /** Lets flow what was held back. */
  thaw(): void {
    for (const connection of this.#connections) connection.thaw();
  }

  /** Ends every fault, and counts anew. */
  async heal(): Promise<void> {
    this.onProduce = () => 'pass';
    this.requestDelayMs = 0;
    this.responseDelayMs = 0;
    this.#hits.clear();
    this.thaw();
    await this.accept();
  }

  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : undefined;
    this.refuse();
    await closed;
  }

  #accept(client: Socket): void {
    const connection = new ProxiedConnection(client, connect(this.brokerPort, '127.0.0.1'), this);
    this.#connections.add(connection);
    client.on('close', () => this.#connections.delete(connection));
  }

  /** @internal What to do with a request; counts it. */
  judge(request: RequestHead): ProduceFault {
    if (request.apiKey !== PRODUCE) return 'pass';
    const fault = this.onProduce(request);
    this.#hits.set(fault, this.hits(fault) + 1);
    return fault;
  }
}

const NOTHING = Buffer.alloc(0);

/** A client's connection and the one to the broker made for it: neither outlives the other. */
class ProxiedConnection {
  readonly #client: Socket;
  readonly #broker: Socket;
  readonly #proxy: KafkaProxy;
  readonly #requests: Lane;
  readonly #responses: Lane;
  readonly #unanswered = new Set<number>();

  constructor(client: Socket, broker: Socket, proxy: KafkaProxy) {
    this.#client = client.setNoDelay();
    this.#broker = broker.setNoDelay();
    this.#proxy = proxy;
    this.#requests = new Lane(broker, () => proxy.requestDelayMs);
    this.#responses = new Lane(client, () => proxy.responseDelayMs);
    const [requests, responses] = [new FrameSplitter(), new FrameSplitter()];
    client.on('data', (chunk) => requests.push(chunk).forEach((frame) => this.#request(frame)));
    broker.on('data', (chunk) => responses.push(chunk).forEach((frame) => this.#response(frame)));
    for (const socket of [client, broker]) socket.on('error', () => undefined).on('close', () => this.cut());
  }

  cut(): void {
    this.#client.destroy();
    this.#broker.destroy();
  }

  freeze(): void {
    this.#requests.freeze();
    this.#responses.freeze();
  }

  thaw(): void {
    this.#requests.thaw();
    this.#responses.thaw();
  }

  #request(frame: Buffer): void {
    const head = requestHeadOf(frame);
    switch (this.#proxy.judge(head)) {
      case 'cut':
        this.#requests.last(frame.subarray(0, frame.length >> 1), () => this.cut());
        return;
      case 'lose response':
        this.#unanswered.add(head.correlationId);
        break;
      case 'freeze':
        this.#requests.send(frame, () => this.freeze());
        return;
      case 'pass':
    }
    this.#requests.send(frame);
  }

  #response(frame: Buffer): void {
    if (this.#unanswered.has(correlationIdOf(frame))) this.#responses.last(NOTHING, () => this.cut());
    else this.#responses.send(frame);
  }
}
