import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../servers/processes/ports.ts';

/** Stands before a server of any protocol, which can thereby be unreachable without being stopped for others. */
export class TcpProxy {
  /** While set, connections are closed as soon as they are made. */
  #unreachable = false;
  /** How many connections were closed so. */
  turnedAway = 0;
  /** How long each piece is held back, each way: milliseconds. What waits is not read, so that the sender feels it. */
  delayMs = 0;
  #ice: PromiseWithResolvers<void> | undefined;
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
    this.#unreachable = true;
    this.cut();
  }

  comeBack(): void {
    this.#unreachable = false;
  }

  /** Cuts all connections; new ones are let through. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Nothing flows from now on, on connections that stay open, and on new ones. */
  freeze(): void {
    this.#ice ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#ice?.resolve();
    this.#ice = undefined;
  }

  close(): void {
    this.#server.close();
    this.goAway();
    this.thaw();
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#unreachable) {
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
        // What it sent before it ended is still on its way; what was cut is not.
        if (!socket.readableEnded) other.destroy();
      });
      socket.pipe(this.#line()).pipe(other);
    }
  }

  /** Each piece after the other. */
  #line(): Transform {
    return new Transform({
      transform: (piece: Buffer, _encoding, done) => void this.#hold(() => done(null, piece)),
    });
  }

  async #hold(pass: () => void): Promise<void> {
    if (this.delayMs > 0) await sleep(this.delayMs);
    await this.#ice?.promise;
    pass();
  }
}
