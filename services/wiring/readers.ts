import type { AnalyticsStore } from '../analytics/analytics-store.ts';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import { SqlProfileStore } from '../profiles/sql-profile-store.ts';
import { SqlReaderProgress } from '../profiles/sql-reader-progress.ts';
import { SqlSinkPlans } from '../profiles/sql-sink-plans.ts';
import { Projector } from '../projector/project.ts';
import type { GiveWay } from '../readers/reader-loop.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { Sink } from '../sink/copy.ts';
import { ReaderMetrics } from './reader-metrics.ts';
import type { ReadersHealth } from './stores.ts';

export interface ReadersParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  readonly giveWay?: GiveWay;
}

/** A reader and how it is. */
interface Reader {
  readonly name: 'projector' | 'sink';
  readonly reader: Projector | Sink;
  failed: boolean;
}

/** Projector and sink, either or both, at work on opened stores. */
export class Readers implements ReadersHealth {
  /** Rejects with the first that no waiting cures; never resolves. The other reader goes on. */
  readonly failed: Promise<never>;
  readonly #parts: ReadersParts;
  readonly #analytics: AnalyticsStore | undefined;
  readonly #metrics: ReaderMetrics;
  readonly #readers: readonly Reader[];

  private constructor(
    parts: ReadersParts,
    analytics: AnalyticsStore | undefined,
    metrics: ReaderMetrics,
    readers: readonly (Projector | Sink)[],
  ) {
    this.#parts = parts;
    this.#analytics = analytics;
    this.#metrics = metrics;
    this.#readers = readers.map((reader) => ({
      name: reader instanceof Sink ? 'sink' : 'projector',
      reader,
      failed: false,
    }));
    this.failed = Promise.race(this.#readers.map((one) => this.#watch(one)));
    this.failed.catch(() => undefined);
  }

  static projector(parts: ReadersParts): Readers {
    const metrics = metricsOf(parts, ['projector']);
    return new Readers(parts, undefined, metrics, [projectorOf(parts, metrics)]);
  }

  static sink(parts: ReadersParts, analytics: AnalyticsStore): Readers {
    const metrics = metricsOf(parts, ['sink']);
    return new Readers(parts, analytics, metrics, [sinkOf(parts, analytics, metrics)]);
  }

  static both(parts: ReadersParts, analytics: AnalyticsStore): Readers {
    const metrics = metricsOf(parts, ['projector', 'sink']);
    return new Readers(parts, analytics, metrics, [projectorOf(parts, metrics), sinkOf(parts, analytics, metrics)]);
  }

  start(): void {
    for (const { reader } of this.#readers) reader.start();
  }

  async health(): Promise<Readonly<Record<string, string>>> {
    const readers = this.#readers.map(({ name, failed }) => [name, failed ? 'failed' : 'ready'] as const);
    return { ...(await statesOf(this.#parts.database, this.#analytics)), ...Object.fromEntries(readers) };
  }

  metrics(): Promise<string> {
    return this.#metrics.text();
  }

  /** Waits for the batches under way. Idempotent. */
  async stop(): Promise<void> {
    await Promise.all(this.#readers.map(({ reader }) => reader.stop()));
  }

  async #watch(one: Reader): Promise<never> {
    try {
      return await one.reader.failed;
    } catch (error) {
      one.failed = true;
      throw error;
    }
  }
}

function metricsOf({ log, database }: ReadersParts, readers: readonly ('projector' | 'sink')[]): ReaderMetrics {
  return new ReaderMetrics(log, new SqlReaderProgress(database), readers);
}

function projectorOf(parts: ReadersParts, metrics: ReaderMetrics): Projector {
  const { config, logger, log, codec, database, giveWay } = parts;
  return new Projector({
    log,
    codec,
    store: new SqlProfileStore(database),
    logger: logger.child({ reader: 'projector' }),
    repeatWindowMs: config.repeatWindowMs,
    onBatch: (report) => metrics.observe('projector', report),
    ...(giveWay === undefined ? {} : { giveWay }),
  });
}

function sinkOf(parts: ReadersParts, analytics: AnalyticsStore, metrics: ReaderMetrics): Sink {
  const { logger, log, codec, database, giveWay } = parts;
  return new Sink({
    log,
    codec,
    plans: new SqlSinkPlans(database),
    analytics,
    logger: logger.child({ reader: 'sink' }),
    onInsert: (report) => metrics.observe('sink', report),
    ...(giveWay === undefined ? {} : { giveWay }),
  });
}

/** The states of the stores that there are, by the names that `/readyz` has for them. */
export async function statesOf(
  database: Pick<Database, 'query'>,
  analytics: Pick<AnalyticsStore, 'check'> | undefined,
): Promise<Readonly<Record<string, string>>> {
  const [profiles, asked] = await Promise.all([
    stateOf(() => database.query('select 1')),
    analytics === undefined ? undefined : stateOf(() => analytics.check()),
  ]);
  return asked === undefined ? { profiles } : { profiles, analytics: asked };
}

/** A store's state in a word. */
async function stateOf(check: () => Promise<unknown>): Promise<string> {
  try {
    await check();
    return 'ready';
  } catch {
    return 'away';
  }
}
