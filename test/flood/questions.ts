/** More heavy questions than anybody may ask at once, and clients that do not read their answers. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { READ_KEY } from '../support/service/service.ts';

const PATIENCE_MS = 60_000;

export class Questions {
  /** By status; `none` where there was no answer. */
  readonly answers = new Map<string, number>();
  readonly wrong: string[] = [];
  readonly #door: string;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(door: string) {
    this.#door = door;
  }

  /** @param event One that many users did often. */
  start(callers: number, event: string): void {
    this.#running = Promise.all(Array.from({ length: callers }, (_, index) => this.#ask(event, index)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** The status of one question now. */
  async one(event: string, index = 0): Promise<number> {
    const definition = {
      any: Array.from({ length: 20 }, (_, at) => ({ event, count: { at_least: 1 + index + at } })),
    };
    // Nearly as much as a body may have: what waits holds it.
    const body = JSON.stringify({ definition, sample: 10, padding: 'x'.repeat(25_000) });
    const headers = { 'content-type': 'application/json', api_key: READ_KEY };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${this.#door}/v1/audiences/preview`, { method: 'POST', headers, body, signal });
    await response.arrayBuffer();
    const isAgain = response.status === 429 || response.status === 503;
    if (isAgain && !/^\d+$/.test(response.headers.get('retry-after') ?? '')) {
      this.wrong.push(`${response.status} without Retry-After`);
    }
    if (!isAgain && ![200, 422].includes(response.status)) this.wrong.push(String(response.status));
    return response.status;
  }

  async #ask(event: string, index: number): Promise<void> {
    while (!this.#stopped) {
      const answer = await this.one(event, index).then(String, () => 'none');
      this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
      if (answer !== '200') await sleep(100);
    }
  }
}

/** Clients that ask for a page of large events, and read nothing of it. */
export class DeafClients {
  readonly #sockets: readonly Socket[];

  constructor(door: string, user: string, count: number) {
    const { hostname, port } = new URL(door);
    const path = `/v1/users/${encodeURIComponent(user)}/events?limit=1000`;
    this.#sockets = Array.from({ length: count }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\napi_key: ${READ_KEY}\r\n\r\n`);
      return socket;
    });
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
