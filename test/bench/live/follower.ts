/** A client that follows an audience as docs/audiences.md says, and notes when it has each change. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../../support/service/service.ts';

interface Line {
  readonly user_id: string;
  readonly change: 'entered' | 'left';
}

export class LiveFollower {
  /** When a user entered and left, as the client saw it first: milliseconds since 1970. */
  readonly #seenAt = { entered: new Map<string, number>(), left: new Map<string, number>() };
  readonly #service: ServiceProcess;
  readonly #audience: string;
  readonly #stopping = new AbortController();
  #following: Promise<void> | undefined;

  constructor(service: ServiceProcess, audience: string) {
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

  /** For each of these users, how long after its time the change was seen. Waits for all of them. */
  async delays(
    change: Line['change'],
    times: ReadonlyMap<string, number>,
    patienceSeconds: number,
  ): Promise<readonly number[]> {
    const seenAt = this.#seenAt[change];
    const until = performance.now() + patienceSeconds * 1000;
    const missing = (): readonly string[] => [...times.keys()].filter((user) => !seenAt.has(user));
    while (missing().length > 0) {
      if (performance.now() > until) throw new Error(`${missing().length} of ${times.size} were not seen as ${change}`);
      await delay(50);
    }
    return [...times].map(([user, at]) => (seenAt.get(user) ?? NaN) - at);
  }

  async #follow(): Promise<void> {
    for (let since: string | null = null; !this.#stopping.signal.aborted;) {
      const query = new URLSearchParams({ wait: '30', ...(since !== null && { since }) });
      const response = await this.#service.request(`/v1/audiences/${this.#audience}/changes?${query.toString()}`);
      const lines = (await response.text()).trim().split('\n');
      const now = Date.now();
      const last = JSON.parse(lines.pop() ?? '{}') as { readonly through: string | null };
      for (const line of lines) {
        const { user_id: user, change } = JSON.parse(line) as Line;
        if (!this.#seenAt[change].has(user)) this.#seenAt[change].set(user, now);
      }
      since = last.through;
    }
  }
}
