import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a service answered to one request. */
export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly text: string;
}

/** Stands before a service, and keeps what that answers. */
export class RecordingProxy {
  readonly #server: Server;
  #exchanges: Exchange[] = [];

  private constructor(serviceUrl: string) {
    this.#server = createServer((asked, answer) => {
      const { method = 'GET', url: path = '/', headers } = asked;
      const forwarded = request(serviceUrl + path, { method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 500, answered.headers);
        // A client may leave before the end, once it has what it wants.
        const exchange = { method, path, text: '' };
        this.#exchanges.push(exchange);
        answered.setEncoding('utf8').on('data', (piece: string) => (exchange.text += piece));
        answered.pipe(answer);
      });
      forwarded.on('error', () => answer.destroy());
      asked.pipe(forwarded);
    });
  }

  static async start(serviceUrl: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(serviceUrl);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What was answered since it was asked last, in order. */
  taken(): readonly Exchange[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
