import type { AnalyticsStore } from '../analytics/analytics-store.ts';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import { LiveGenerations } from '../generations/live-generations.ts';
import { LiveProgress } from '../generations/live-progress.ts';
import { IMPORT_TOPICS, LIVE_TOPICS } from '../messages/message.ts';
import type { ReaderName } from '../profiles/profile-store.ts';
import { SqlProfileStore } from '../profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../profiles/sql-sink-plans.ts';
import { Projector } from '../projector/project.ts';
import type { GiveWay } from '../readers/reader-loop.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { Sink, type SinkOptions } from '../sink/copy.ts';
import { LiveLag, wayForLive } from './live-lag.ts';
import { type BatchReport, type LaneReader, ReaderMetrics } from './reader-metrics.ts';
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
  readonly name: LaneReader;
  readonly reader: Projector | Sink;
  failed: boolean;
}

/**
 * Projector and sink, either or both, at work on opened stores: each once for live messages and once for imported ones,
 * which give way to the live.
 */
export class Readers implements ReadersHealth {
  /** Rejects with the first that no waiting cures; never resolves. The other readers go on. */
  readonly failed: Promise<never>;
  readonly #parts: ReadersParts;
  readonly #analytics: AnalyticsStore | undefined;
  readonly #metrics: ReaderMetrics;
  readonly #readers: readonly Reader[];

  private constructor(parts: ReadersParts, analytics: AnalyticsStore | undefined, kinds: readonly ReaderName[]) {
    const progress = new LiveProgress(parts.database, new LiveGenerations(parts.database));
    const giveWay = wayForLive(new LiveLag({ log: parts.log, progress, readers: kinds }), parts.giveWay);
    const imports = kinds.map((kind): LaneReader => `import-${kind}`);
    const metrics = new ReaderMetrics(parts.log, progress, [...kinds, ...imports]);
    const live = { ...parts, topics: LIVE_TOPICS, analytics, metrics };
    const history = { ...parts, topics: IMPORT_TOPICS, analytics, metrics, giveWay };
    this.#parts = parts;
    this.#analytics = analytics;
    this.#metrics = metrics;
    this.#readers = [
      ...kinds.map((name) => ({ name, reader: readerOf(name, `tidemark-${name}`, live), failed: false })),
      ...kinds.map((kind) => {
        const name = `import-${kind}` as const;
        return { name, reader: readerOf(name, `tidemark-${kind}-import`, history, IMPORT_INSERTS), failed: false };
      }),
    ];
    this.failed = Promise.race(this.#readers.map((one) => this.#watch(one)));
    this.failed.catch(() => undefined);
  }

  static projector(parts: ReadersParts): Readers {
    return new Readers(parts, undefined, ['projector']);
  }

  static sink(parts: ReadersParts, analytics: AnalyticsStore): Readers {
    return new Readers(parts, analytics, ['sink']);
  }

  static both(parts: ReadersParts, analytics: AnalyticsStore): Readers {
    return new Readers(parts, analytics, ['projector', 'sink']);
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

interface LaneParts extends ReadersParts {
  readonly topics: readonly string[];
  readonly analytics: AnalyticsStore | undefined;
  readonly metrics: ReaderMetrics;
}

function readerOf(name: LaneReader, group: string, lane: LaneParts, inserts: Inserts = {}): Projector | Sink {
  const { config, logger, log, codec, database, analytics, metrics, topics, giveWay } = lane;
  const common = {
    log,
    codec,
    topics,
    group,
    logger: logger.child({ reader: name }),
    ...(giveWay === undefined ? {} : { giveWay }),
  };
  const observe = (report: BatchReport): void => metrics.observe(name, report);
  if (name.endsWith('projector') || analytics === undefined) {
    const store = new SqlProfileStore(database);
    return new Projector({ ...common, store, repeatWindowMs: config.repeatWindowMs, onBatch: observe });
  }
  return new Sink({ ...common, ...inserts, plans: new SqlSinkPlans(database), analytics, onInsert: observe });
}

type Inserts = Pick<SinkOptions, 'maxRows' | 'maxChars' | 'insertEveryMs'>;

/** Fewer and bigger than of live messages: history can wait, and big parts are what ClickHouse likes. */
const IMPORT_INSERTS: Inserts = { maxRows: 100_000, maxChars: 48 * 1024 * 1024, insertEveryMs: 10_000 };

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
