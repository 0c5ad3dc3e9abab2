import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface RegistryGateOptions {
  /** The user of basic authentication who may pass; everybody by default. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /** Certificate, then key. */
  readonly serverPem?: string;
}

/** Instead of the registry's answer: another one, none at all, or the first bytes of one and then a closed connection. */
export type Trouble = { readonly status: number; readonly body: string } | 'stall' | 'cut';

/**
 * Stands before a real registry and passes everything on; asks for a password, closes, or gives trouble instead. Closed
 * when the test ends.
 */
export class RegistryGate {
  /** Requests so far, as `METHOD /path`, the path being the registry's. */
  readonly requests: string[] = [];
  /** What is done to a request, by its `METHOD /path`. */
  trouble: (request: string) => Trouble | undefined = () => undefined;
  /** The most requests that were in it together. */
  mostAtOnce = 0;
  readonly #target: URL;
  readonly #options: RegistryGateOptions;
  #server: http.Server;
  #port = 0;
  #inside = 0;

  private constructor(target: string, options: RegistryGateOptions) {
    this.#target = new URL(target);
    this.#options = options;
    this.#server = this.#createServer();
  }

  static async open(target: string, options: RegistryGateOptions = {}): Promise<RegistryGate> {
    const gate = new RegistryGate(target, options);
    await gate.reopen();
    onTestFinished(() => gate.close());
    return gate;
  }

  /** With the credentials that let in, or with others. */
  url(credentials = this.#options.credentials): string {
    const url = new URL(this.#target);
    url.protocol = this.#options.serverPem === undefined ? 'http:' : 'https:';
    url.port = String(this.#port);
    url.username = encodeURIComponent(credentials?.user ?? '');
    url.password = encodeURIComponent(credentials?.password ?? '');
    return url.href;
  }

  /** From now on it cannot be reached; requests under way are cut. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Listens again, on the port it had. */
  async reopen(): Promise<void> {
    this.#server = this.#createServer();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #createServer(): http.Server {
    const { serverPem } = this.#options;
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#inside);
      response.once('close', () => this.#inside--);
      this.#answer(request, response).catch(() => response.destroy());
    };
    if (serverPem === undefined) return http.createServer(answer);
    const pem = readFileSync(serverPem);
    return https.createServer({ cert: pem, key: pem }, answer);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const line = `${method} ${url.replace(this.#target.pathname, '')}`;
    this.requests.push(line);
    if (!this.#lets(headers.authorization)) return send(response, 401, '{"error_code":401,"message":"Unauthorized"}');
    const trouble = this.trouble(line);
    if (trouble === 'stall') return;
    if (trouble === 'cut') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"id":', () => response.destroy());
      return;
    }
    if (trouble !== undefined) return send(response, trouble.status, trouble.body);
    const passedOn = await fetch(new URL(url, this.#target), {
      method,
      ...(body !== '' && { body, headers: { 'content-type': headers['content-type'] ?? '' } }),
    });
    send(response, passedOn.status, await passedOn.text());
  }

  #lets(authorization: string | undefined): boolean {
    const { credentials } = this.#options;
    if (credentials === undefined) return true;
    const pair = `${credentials.user}:${credentials.password}`;
    return authorization === `Basic ${Buffer.from(pair).toString('base64')}`;
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
