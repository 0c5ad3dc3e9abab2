import { Counter, Gauge, Registry } from 'prom-client';

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
  constructor(oldestWaitingMs: () => Promise<number | null>) {
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
  }

  count(result: 'delivered' | 'failed'): void {
    this.#attempts.inc({ result });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
