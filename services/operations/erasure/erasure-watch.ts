import { Gauge, Registry } from 'prom-client';
import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import type { Database } from '../../stores/database/database.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { beginErasing, type ErasureRequestParts } from './erasure-requests.ts';

export interface ErasureWatchParts {
  readonly database: Database;
  readonly jobs: ErasureRequestParts['jobs'];
  readonly logger: Pick<Logger, 'warn'>;
  /** How often it looks for people who are still to be forgotten. */
  readonly lookEveryMs?: number;
}

const PENDING_POLL_MS = 60_000;

/** Has people forgotten by a job where none is doing it: the last was interrupted, or did not know of them. */
export class ErasureWatch {
  readonly #looking: Looking;

  constructor({ database, jobs, logger, lookEveryMs: everyMs = PENDING_POLL_MS }: ErasureWatchParts) {
    const erasures = new SqlErasures(database);
    const look = async (): Promise<boolean> => {
      if ((await erasures.oldestPending()) !== null) await beginErasing(jobs, 'service');
      return false;
    };
    this.#looking = new Looking({ look, everyMs, cannot: 'cannot forget people', logger });
  }

  start(): void {
    this.#looking.start();
  }

  /** A job that it began goes on. Idempotent. */
  stop(): Promise<void> {
    return this.#looking.stop();
  }
}

/** How long people have waited to be forgotten, whichever process forgets them, as a metric. */
export class ErasureMetrics {
  readonly #erasures: SqlErasures;
  readonly #registry = new Registry();
  readonly #oldest = new Gauge({
    name: 'tidemark_erasures_oldest_seconds',
    help: 'How long ago the oldest erasure of a person was asked for that is not done; 0 where all are',
    registers: [this.#registry],
  });

  constructor(database: Database) {
    this.#erasures = new SqlErasures(database);
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    // While Postgres is unavailable, the last figure remains.
    const oldest = await this.#erasures.oldestPending().catch(() => undefined);
    if (oldest === undefined) return this.#registry.metrics();
    const waitedMs = oldest === null ? 0 : Date.now() - Number(oldest.requestedAt / 1_000n);
    this.#oldest.set(Math.max(0, waitedMs) / 1_000);
    return this.#registry.metrics();
  }
}
