/** A client and a webhook that learn of the changes of an audience, as docs/audiences.md and docs/webhooks.md say. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { READ_KEY, type ServiceProcess } from '../../support/service/service.ts';

interface Line {
  readonly user_id: string;
  readonly change: 'entered' | 'left';
}

/** The setting without which the service sends nothing to this machine. */
export const RECEIVER_SETTINGS = { WEBHOOK_ALLOW: '127.0.0.1' };

class Seen {
  /** When a user entered and left, as it was seen first: milliseconds since 1970. */
  readonly #at = { entered: new Map<string, number>(), left: new Map<string, number>() };

  note(lines: readonly Line[]): void {
    const now = Date.now();
    for (const { user_id: user, change } of lines) if (!this.#at[change].has(user)) this.#at[change].set(user, now);
  }

  /** For each of these users, how long after its time the change was seen. Waits for all of them. */
  async delays(
    change: Line['change'],
    times: ReadonlyMap<string, number>,
    patienceSeconds: number,
  ): Promise<readonly number[]> {
    const seenAt = this.#at[change];
    const until = performance.now() + patienceSeconds * 1000;
    const missing = (): readonly string[] => [...times.keys()].filter((user) => !seenAt.has(user));
    while (missing().length > 0) {
      if (performance.now() > until) throw new Error(`${missing().length} of ${times.size} were not seen as ${change}`);
      await delay(50);
    }
    return [...times].map(([user, at]) => (seenAt.get(user) ?? NaN) - at);
  }
}

/** A client that waits for changes. */
export class LiveFollower extends Seen {
  readonly #service: ServiceProcess;
  readonly #audience: string;
  readonly #stopping = new AbortController();
  #following: Promise<void> | undefined;

  constructor(service: ServiceProcess, audience: string) {
    super();
    this.#service = service;
    this.#audience = audience;
  }

  start(): void {
    this.#following ??= this.#follow().catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) throw error;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    for (let since: string | null = null; !this.#stopping.signal.aborted;) {
      const query = new URLSearchParams({ wait: '30', ...(since !== null && { since }) });
      const response = await this.#service.request(`/v1/audiences/${this.#audience}/changes?${query.toString()}`);
      const lines = (await response.text()).trim().split('\n');
      const last = JSON.parse(lines.pop() ?? '{}') as { readonly through: string | null };
      this.note(lines.map((line) => JSON.parse(line) as Line));
      since = last.through;
    }
  }
}

/** An endpoint of webhooks. */
export class LiveReceiver extends Seen {
  readonly #server: Server;

  private constructor() {
    super();
    this.#server = createServer((req, res) => void this.#take(req).finally(() => res.end()));
  }

  static async of(service: ServiceProcess, audience: string): Promise<LiveReceiver> {
    const receiver = new LiveReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    const { port } = receiver.#server.address() as AddressInfo;
    const endpoint = { url: `http://127.0.0.1:${port}/`, audiences: [audience] };
    const { status } = await service.request('/v1/endpoints', endpoint, { api_key: READ_KEY });
    if (status !== 201) throw new Error(`no endpoint: ${status}`);
    return receiver;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(req: IncomingMessage): Promise<void> {
    const { data } = JSON.parse(await text(req)) as { readonly data: { readonly changes: readonly Line[] } };
    this.note(data.changes);
  }
}
