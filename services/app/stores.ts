import type { AdminPorts, Operations } from '../operations/ports.ts';
import { SqlStoreFigures, type StoreFigures } from '../operations/status/store-figures.ts';
import type { AudienceEvaluator } from '../questions/saved/audience-scheduler.ts';
import type { AudienceStore } from '../questions/saved/audience-store.ts';
import { SqlAudienceStore } from '../questions/saved/sql-audience-store.ts';
import type { Config } from '../runtime/config.ts';
import type { AnalyticsReader, AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import type { AuditLog } from '../stores/service-state/audit-log.ts';
import { SqlAuditLog } from '../stores/service-state/sql-audit-log.ts';
import type { Database } from '../stores/database/database.ts';
import { liveStores } from '../stores/generations/live-stores.ts';
import type { ProfileReader, ReaderProgress } from '../stores/profiles/profile-store.ts';
import { type ConsoleSessionStore, SqlConsoleSessionStore } from '../stores/service-state/console-session-store.ts';
import { projectDeletion } from '../stores/projects/delete-project.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import type { RefusalStore } from '../stores/service-state/refusal-store.ts';
import { type RepeatStore, SqlRepeatStore } from '../stores/service-state/repeat-store.ts';
import { SqlRefusalStore } from '../stores/service-state/sql-refusal-store.ts';
import { MemoryProcessStore, type ProcessStore } from '../stores/service-state/process-store.ts';
import { SqlProcessStore } from '../stores/service-state/sql-process-store.ts';
import { isServer } from './embedded.ts';

/** The health of the stores, and of the readers where the process runs any. */
export interface ReadersHealth {
  /**
   * The state of each part that the process has: of a store `ready` or `away`; of a reader `ready`, `failed`, or
   * `stuck: cannot … (CODE)`.
   */
  health(): Promise<Readonly<Record<string, string>>>;
  /** Their metrics in Prometheus' text format. */
  metrics(): Promise<string>;
}

/**
 * The stores as the HTTP side uses them. Everything in it can be called from another thread: methods are asynchronous,
 * arguments and results can be cloned.
 */
export interface Stores extends AdminPorts {
  readonly profiles: ProfileReader;
  readonly analytics: AnalyticsReader;
  readonly progress: ReaderProgress;
  readonly readers: ReadersHealth;
  readonly saved: AudienceStore;
  readonly audit: AuditLog;
  readonly evaluator: AudienceEvaluator;
  readonly refusals: RefusalStore;
  readonly repeats: RepeatStore;
  readonly processes: ProcessStore;
  readonly figures: StoreFigures;
  readonly consoleSessions: ConsoleSessionStore;
}

/** An embedded database has one process, which need not write what it would read itself. */
export function processStoreOf({ profilesUrl }: Config, database: Pick<Database, 'query'>): ProcessStore {
  return isServer(profilesUrl) ? new SqlProcessStore(database) : new MemoryProcessStore();
}

export interface DatabaseAndAnalytics {
  readonly database: Database;
  readonly analytics: AnalyticsStore;
}

/** The stores as the HTTP side calls them: questions always go to the live generations. */
export function storesOf(
  config: Config,
  { database, analytics }: DatabaseAndAnalytics,
  others: Pick<Stores, 'readers' | 'evaluator' | 'processes' | keyof Operations>,
): Stores {
  const live = liveStores(database, analytics);
  return {
    ...live,
    ...others,
    projects: new SqlProjectStore(database),
    deletion: projectDeletion(database),
    saved: new SqlAudienceStore(database, config.maxProjectAudiences),
    audit: new SqlAuditLog(database),
    refusals: new SqlRefusalStore(database),
    repeats: new SqlRepeatStore(database),
    figures: new SqlStoreFigures(database, live.analytics),
    consoleSessions: new SqlConsoleSessionStore(database),
  };
}
