import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { freePort } from '../servers/processes/ports.ts';

const QUIET_MS = 200;

/** A request of an SDK and the answer of the service. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Decompressed. */
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** Stands before the service for one SDK: it notes what passes, and can be unreachable for this SDK alone. */
export class SdkProxy {
  readonly #target: URL;
  readonly #port: number;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  #exchanges: Exchange[] = [];
  #losesAnswer = false;
  #open = 0;
  #lastAt = 0;

  private constructor(target: URL, port: number) {
    this.#target = target;
    this.#port = port;
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  static async before(target: string): Promise<SdkProxy> {
    const proxy = new SdkProxy(new URL(target), await freePort());
    await proxy.comeBack();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What passed since this was called last. */
  takeExchanges(): readonly Exchange[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
  }

  /** Connections are refused until `comeBack`. */
  async goAway(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Resolves once no request is open and none has come for a moment: flushing does not wait for all of them in every SDK. */
  async quiet(forMs = QUIET_MS): Promise<void> {
    do await sleep(QUIET_MS);
    while (this.#open > 0 || Date.now() - this.#lastAt < forMs);
  }

  /** The service will get the next request, but its client no answer. */
  loseNextAnswer(): void {
    this.#losesAnswer = true;
  }

  async comeBack(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.goAway();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#open++;
    try {
      const sent = await buffer(request);
      const { method = '', url: path = '', headers } = request;
      const { hostname, port } = this.#target;
      const onward = forward({ hostname, port, path, method, headers, agent: this.#agent });
      onward.end(sent);
      const [answered] = (await once(onward, 'response')) as [IncomingMessage];
      const answer = await buffer(answered);
      const status = answered.statusCode ?? 0;
      this.#exchanges.push({ method, path, headers, body: plain(sent, headers), status, answer: answer.toString() });
      if (this.#losesAnswer) {
        this.#losesAnswer = false;
        request.socket.destroy();
        return;
      }
      response.writeHead(status, answered.rawHeaders).end(answer);
    } catch {
      // The SDK hung up, or the test is over.
      request.socket.destroy();
    } finally {
      this.#open--;
      this.#lastAt = Date.now();
    }
  }
}

function plain(body: Buffer, headers: IncomingMessage['headers']): string {
  const inflate = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[
    String(headers['content-encoding'])
  ];
  return (inflate?.(body) ?? body).toString();
}
