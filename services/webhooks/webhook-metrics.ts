import { Counter, Gauge, Registry } from 'prom-client';
import type { Sending } from './sending.ts';

/** No project, endpoint or URL in a label. */
export class WebhookMetrics {
  readonly #registry = new Registry();
  readonly #attempts = new Counter({
    name: 'tidemark_webhook_attempts_total',
    help: 'Attempts of this process to deliver a webhook, by what became of them: delivered or failed',
    labelNames: ['result'] as const,
    registers: [this.#registry],
  });

  /** @param oldestWaitingMs When the oldest message that is not delivered was made, in milliseconds since 1970. */
  constructor(oldestWaitingMs: () => Promise<number | null>, current: Pick<Sending, 'count' | 'oldestAgeMs'>) {
    for (const result of ['delivered', 'failed'] as const) this.#attempts.inc({ result }, 0);
    const registers = [this.#registry];
    const oldest: Gauge = new Gauge({
      name: 'tidemark_webhook_oldest_undelivered_seconds',
      help: 'Age of the oldest webhook that an enabled endpoint has not taken yet; 0 without one',
      registers,
      collect: async () => {
        const atMs = await oldestWaitingMs().catch(() => undefined);
        if (atMs !== undefined) oldest.set(atMs === null ? 0 : Math.max((Date.now() - atMs) / 1_000, 0));
      },
    });
    const underWay: Gauge = new Gauge({
      name: 'tidemark_webhook_turns',
      help: 'Endpoints that this process is sending to',
      registers,
      collect: () => underWay.set(current.count),
    });
    const oldestTurn: Gauge = new Gauge({
      name: 'tidemark_webhook_oldest_turn_seconds',
      help: 'For how long this process has been sending to one of these endpoints; 0 without one',
      registers,
      collect: () => oldestTurn.set(current.oldestAgeMs / 1_000),
    });
  }

  count(result: 'delivered' | 'failed'): void {
    this.#attempts.inc({ result });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
