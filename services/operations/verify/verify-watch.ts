import { Gauge, Registry } from 'prom-client';
import { backgroundThrottle, inSequence, type Throttle } from '../../consumers/throttle/throttle.ts';
import type { Logger } from '../../runtime/logger.ts';
import { pause } from '../../runtime/pause.ts';
import {
  lastVerification,
  type LastVerification,
  remember,
  takeTurn,
  type TellDifference,
} from './last-verification.ts';
import { type InstalledStores, storesToVerify } from './live-stores.ts';
import { lastHours, verify } from './verify.ts';

export interface VerifyWatchOptions extends InstalledStores {
  readonly logger: Logger;
  readonly repeatWindowMs: number;
  /** The time from the start of one verification to the next; 0 for never. */
  readonly everyMs: number;
  readonly throttle?: Throttle | undefined;
  readonly tell: TellDifference;
  /** How often it checks whether the next verification is due. */
  readonly lookEveryMs?: number;
}

const TURN_POLL_MS = 60_000;
const HOUR_MS = 3_600_000;
// An hour is verified again later, when messages that were not yet in the stores have arrived there.
const HOURS_AGAIN = 2;

/** Verifies the most recent complete hours periodically, in one process at a time. Exports the findings as metrics. */
export class VerifyWatch {
  readonly #options: VerifyWatchOptions;
  readonly #stopping = new AbortController();
  readonly #metrics = new VerifyMetrics();
  #running: Promise<void> | undefined;

  constructor(options: VerifyWatchOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.everyMs > 0) this.#running ??= this.#run(this.#stopping.signal);
  }

  /** Ends the verification in progress. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** The last findings of any process, in the text format of Prometheus. */
  async metrics(): Promise<string> {
    // While Postgres is unavailable, the last figures remain.
    const last = await lastVerification(this.#options.database).catch(() => undefined);
    if (last !== undefined) this.#metrics.show(last);
    return this.#metrics.text();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { logger, lookEveryMs = TURN_POLL_MS } = this.#options;
    while (!signal.aborted) {
      await pause(lookEveryMs, signal);
      if (signal.aborted) return;
      try {
        await this.#look(signal);
      } catch (error) {
        // A store is unavailable, or the process is stopping. The next check tries again.
        if (!signal.aborted) logger.warn({ err: error }, 'cannot verify the last hours now');
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { database, everyMs, repeatWindowMs, logger, tell } = this.#options;
    if (!(await takeTurn(database, everyMs))) return;
    const period = lastHours(Math.ceil(everyMs / HOUR_MS) + HOURS_AGAIN);
    const stores = await storesToVerify(this.#options);
    const throttle = inSequence(this.#options.throttle, backgroundThrottle());
    const report = await verify(stores, period, { repeatWindowMs, signal, rest: (ms) => throttle(ms, signal, 0) });
    await remember(database, report, tell);
    const { equal, since, until, records_read: records, took_ms: tookMs } = report;
    const found = { since, until, records, tookMs, missing: report.missing, surplus: report.surplus };
    if (equal) logger.info({ since, until, records, tookMs }, 'verified: the stores have what the log has');
    else logger.error(found, 'verified: the stores do not have what the log has');
  }
}

class VerifyMetrics {
  readonly #registry = new Registry();
  readonly #at = new Gauge({
    name: 'tidemark_verify_last_check_timestamp_seconds',
    help: 'When the last hours were last held against the log; 0 where they never were',
    registers: [this.#registry],
  });
  readonly #missing = this.#byStore(
    'tidemark_verify_missing_messages',
    'Messages on the log that a store lacks, of the hours last verified',
  );
  readonly #surplus = this.#byStore(
    'tidemark_verify_surplus_messages',
    'Messages that a store has or has counted beyond those on the log, of the hours last verified',
  );

  show({ finishedAtMs, missing, surplus }: LastVerification): void {
    this.#at.set(finishedAtMs / 1000);
    for (const store of ['postgres', 'clickhouse'] as const) {
      this.#missing.set({ store }, missing[store]);
      this.#surplus.set({ store }, surplus[store]);
    }
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #byStore(name: string, help: string): Gauge<'store'> {
    return new Gauge({ name, help, labelNames: ['store'], registers: [this.#registry] });
  }
}
