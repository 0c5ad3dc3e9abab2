import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../servers/ports.ts';

/** Stands before a server of any protocol, which can thereby be away without being stopped for others. */
export class TcpProxy {
  /** While set, connections are closed as soon as they are made. */
  #away = false;
  /** How many connections were closed so. */
  turnedAway = 0;
  readonly #server: Server;
  readonly #target: URL;
  readonly #port: number;
  readonly #open = new Set<Socket>();

  private constructor(server: Server, target: URL, port: number) {
    this.#server = server;
    this.#target = target;
    this.#port = port;
    server.on('connection', (client) => this.#accept(client));
  }

  static async before(url: string): Promise<TcpProxy> {
    const [server, port] = [createServer(), await freePort()];
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return new TcpProxy(server, new URL(url), port);
  }

  /** The server's URL, by way of the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.port = String(this.#port);
    return url.href;
  }

  /** Cuts all connections; new ones are turned away until `comeBack`. */
  goAway(): void {
    this.#away = true;
    for (const socket of this.#open) socket.destroy();
  }

  comeBack(): void {
    this.#away = false;
  }

  close(): void {
    this.#server.close();
    this.goAway();
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#away) {
      this.turnedAway++;
      client.destroy();
      return;
    }
    const server = connect(Number(this.#target.port), this.#target.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
