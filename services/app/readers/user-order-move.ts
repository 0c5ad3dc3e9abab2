import { hasCode } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { pause } from '../../runtime/pause.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';

export interface UserOrderMoveParts {
  readonly analytics: Pick<AnalyticsStore, 'hasUserOrder' | 'completeUserOrder'>;
  readonly deletedProjects: () => Promise<ReadonlySet<string>>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly retryMs?: number;
}

const RETRY_MS = 60_000;

/** Moves the rows of before into the tables in the order of users, trying again until all are there. */
export class UserOrderMove {
  readonly #parts: UserOrderMoveParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: UserOrderMoveParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the statement under way. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { logger, retryMs = RETRY_MS } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#move(signal);
        return;
      } catch (error) {
        if (signal.aborted || hasCode(error, 'STOPPING')) return;
        logger.warn({ err: error }, 'the rows of before cannot be moved into the order of users now');
      }
      await pause(retryMs, signal);
    }
  }

  async #move(signal: AbortSignal): Promise<void> {
    const { analytics, deletedProjects, logger } = this.#parts;
    if (await analytics.hasUserOrder({})) return;
    await analytics.completeUserOrder(deletedProjects, signal);
    logger.info('every row of analytics is in the order of users');
  }
}
