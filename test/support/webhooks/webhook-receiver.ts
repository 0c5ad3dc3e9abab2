/** A receiver of webhooks on a free port, which answers as it is told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answering = (res: ServerResponse, req: IncomingMessage) => void;

export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** How requests are answered, once they are there whole. */
  answering: Answering = (res) => res.end('ok');
  readonly #server: Server;
  #port = 0;

  private constructor() {
    this.#server = createServer((req, res) => void this.#receive(req, res));
  }

  /** It is closed when the test ends. */
  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await receiver.open();
    onTestFinished(() => receiver.close());
    return receiver;
  }

  /** Listens again, where it did before. */
  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** The `webhook-id` of each request. */
  get ids(): readonly string[] {
    return this.received.map(({ headers }) => headers['webhook-id'] ?? '');
  }

  /** What each request tells: `user change cause`. */
  get told(): readonly (readonly string[])[] {
    return this.received.map(({ body }) => changesIn(body).map((one) => `${one.user_id} ${one.change} ${one.cause}`));
  }

  async #receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    // The sender has left.
    const body = await text(req).catch(() => undefined);
    if (body === undefined) return;
    this.received.push({ path: req.url ?? '', headers: req.headers as Record<string, string>, body });
    this.answering(res, req);
  }
}

interface ReceivedChange {
  readonly user_id: string;
  readonly change: string;
  readonly cause: string;
}

function changesIn(body: string): readonly ReceivedChange[] {
  const { data } = JSON.parse(body) as { readonly data: { readonly changes?: readonly ReceivedChange[] } };
  return data.changes ?? [];
}

/** Answers with this status and these headers. */
export function answer(status: number, headers: Readonly<Record<string, string>> = {}): Answering {
  return (res) => res.writeHead(status, headers).end(`answered ${status}`);
}
