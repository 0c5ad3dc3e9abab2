import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ReplyBody } from './reply.ts';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly json: ReplyBody | undefined;
}

/** A client that says whatever bytes it is given. */
export class RawClient {
  readonly socket: Socket;
  #received = '';
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.#received += chunk;
    });
    socket.on('error', (error) => {
      this.#failure = error;
    });
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const client = new RawClient(socket);
    await once(socket, 'connect');
    return client;
  }

  /** Everything received so far. */
  get received(): string {
    return this.#received;
  }

  /** Why the connection broke, if it did: a reset. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return this;
  }

  /** Resolves once the server has closed its side, with the answers that came before. */
  async closed(): Promise<RawAnswer[]> {
    if (!this.socket.readableEnded && !this.socket.destroyed) {
      await Promise.race([once(this.socket, 'end'), once(this.socket, 'close')]).catch(() => undefined);
    }
    this.socket.destroy();
    return this.answers();
  }

  /** Resolves once that many answers have come. */
  async answered(count = 1): Promise<RawAnswer[]> {
    while (this.answers().length < count) {
      if (this.socket.readableEnded || this.socket.destroyed) throw new Error(`closed after: ${this.#received}`);
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'end'), once(this.socket, 'close')]);
    }
    return this.answers();
  }

  /** The whole answers received so far. Those without a body (100) count too. */
  answers(): RawAnswer[] {
    const found: RawAnswer[] = [];
    let rest = this.#received;
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end === -1) return found;
      const head = rest.slice(0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const body = rest.slice(end + 4, end + 4 + length);
      if (body.length < length) return found;
      const json = (length > 0 ? JSON.parse(body) : undefined) as ReplyBody | undefined;
      found.push({ status: Number(head.slice(9, 12)), head, body, json });
      rest = rest.slice(end + 4 + length);
    }
  }
}

/** The bytes of a request. */
export function request(path: string, headers: Record<string, string>, body = '', method = 'POST'): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** The bytes of a JSON POST with a key. */
export function jsonRequest(path: string, key: string, value: unknown, headers: Record<string, string> = {}): string {
  const body = JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  return request(
    path,
    { api_key: key, 'content-type': 'application/json', 'content-length': length, ...headers },
    body,
  );
}
