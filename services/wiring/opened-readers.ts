import type { AnalyticsStore } from '../analytics/analytics-store.ts';
import { openAnalytics } from '../analytics/open.ts';
import type { Database } from '../database/database.ts';
import { migrateDatabase } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { openEventLog } from '../event-log/open.ts';
import { Codec } from '../messages/codec.ts';
import { TOPICS } from '../messages/message.ts';
import { EmbeddedSchemaIds } from '../messages/schema-ids.ts';
import type { ReaderProgress } from '../profiles/profile-store.ts';
import { SqlProfileStore } from '../profiles/sql-profile-store.ts';
import { SqlReaderProgress } from '../profiles/sql-reader-progress.ts';
import { SqlSinkPlans } from '../profiles/sql-sink-plans.ts';
import { Projector } from '../projector/project.ts';
import type { GiveWay } from '../readers/reader-loop.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import { SqlProjectStore } from '../projects/sql-project-store.ts';
import { ReaderMetrics } from './reader-metrics.ts';
import type { ReaderPart } from './stores.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { Sink } from '../sink/copy.ts';

/** Projector and sink at work on their stores, on the thread that opens them. */
export class OpenedReaders {
  readonly profiles: SqlProfileStore;
  readonly projects: ProjectStore;
  readonly analytics: AnalyticsStore;
  readonly progress: ReaderProgress;
  readonly #log: EventLog;
  readonly #database: Database;
  readonly #projector: Projector;
  readonly #sink: Sink;
  readonly #metrics: ReaderMetrics;
  readonly #failed = new Set<ReaderPart>();
  #stopping: Promise<void> | undefined;

  private constructor(config: Config, logger: Logger, stores: Stores, giveWay: GiveWay) {
    const { log, database, analytics } = stores;
    const codec = new Codec(new EmbeddedSchemaIds());
    this.#log = log;
    this.#database = database;
    this.analytics = analytics;
    this.profiles = new SqlProfileStore(database);
    this.projects = new SqlProjectStore(database);
    this.progress = new SqlReaderProgress(database);
    this.#metrics = new ReaderMetrics(log, this.progress);
    this.#projector = new Projector({
      log,
      codec,
      store: this.profiles,
      logger: logger.child({ reader: 'projector' }),
      repeatWindowMs: config.repeatWindowMs,
      giveWay,
      onBatch: (report) => this.#metrics.observe('projector', report),
    });
    this.#sink = new Sink({
      log,
      codec,
      plans: new SqlSinkPlans(database),
      analytics,
      giveWay,
      logger: logger.child({ reader: 'sink' }),
      onInsert: (report) => this.#metrics.observe('sink', report),
    });
    this.#watch('projector', this.#projector.failed);
    this.#watch('sink', this.#sink.failed);
  }

  /** Opens and migrates the stores, closing again what was opened where one of them cannot be; starts the readers. */
  static async open(config: Config, logger: Logger, giveWay: GiveWay): Promise<OpenedReaders> {
    const readers = new OpenedReaders(config, logger, await openStores(config), giveWay);
    readers.#projector.start();
    readers.#sink.start();
    return readers;
  }

  async health(): Promise<Readonly<Record<ReaderPart, string>>> {
    const [profiles, analytics] = await Promise.all([
      stateOf(() => this.#database.query('select 1')),
      stateOf(() => this.analytics.check()),
    ]);
    const reader = (part: ReaderPart): string => (this.#failed.has(part) ? 'failed' : 'ready');
    return { profiles, analytics, projector: reader('projector'), sink: reader('sink') };
  }

  metrics(): Promise<string> {
    return this.#metrics.text();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#projector.stop(), this.#sink.stop()]);
    await closeAll({ log: this.#log, database: this.#database, analytics: this.analytics });
  }

  #watch(part: ReaderPart, failed: Promise<never>): void {
    failed.catch(() => this.#failed.add(part));
  }
}

interface Stores {
  readonly log: EventLog;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
}

async function openStores(config: Config): Promise<Stores> {
  const opened = await Promise.allSettled([
    openEventLog(config.eventLogUrl, { topics: TOPICS, partitions: config.eventLogPartitions }),
    openMigratedDatabase(config.profilesUrl),
    openAnalytics(config.analyticsUrl),
  ]);
  const [log, database, analytics] = opened.map((store) => (store.status === 'fulfilled' ? store.value : undefined));
  const failure = opened.find((store) => store.status === 'rejected');
  const stores = { log, database, analytics } as Stores;
  if (failure === undefined) return stores;
  await closeAll(stores);
  throw failure.reason;
}

async function openMigratedDatabase(url: string): Promise<Database> {
  const database = await openDatabase(url);
  try {
    await migrateDatabase(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function closeAll({ log, database, analytics }: Partial<Stores>): Promise<void> {
  await Promise.all([log?.close(), database?.close(), analytics?.close()]);
}

async function stateOf(check: () => Promise<unknown>): Promise<string> {
  try {
    await check();
    return 'ready';
  } catch {
    return 'away';
  }
}
