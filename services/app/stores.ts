/** The stores of a process: those that its parts share, and what HTTP calls. */
import type { Definitions } from '../api/definitions/definitions.ts';
import type { AdminPorts } from '../operations/ports.ts';
import { SqlStoreFigures } from '../operations/status/store-figures.ts';
import { limitsOf } from '../questions/query-budget.ts';
import type { AudienceScheduler } from '../questions/saved/audience-scheduler.ts';
import { SqlAudienceStore } from '../questions/saved/sql-audience-store.ts';
import type { SqlWatchStore } from '../questions/watches/sql-watch-store.ts';
import type { Config } from '../runtime/config.ts';
import { hasShards, isServer } from '../runtime/embedded.ts';
import type { QueryLimits } from '../stores/analytics/analytics-store.ts';
import { LiveGenerations } from '../stores/generations/live-generations.ts';
import { liveAnalytics, liveProfiles, type LiveStores } from '../stores/generations/live-stores.ts';
import { LostAnalytics } from '../stores/generations/lost-analytics.ts';
import type { NewProjectDefaults, ProjectLimits } from '../stores/projects/project-store.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import { MemoryProcessStore, type ProcessStore } from '../stores/service-state/process-store.ts';
import type { ServiceState } from '../stores/service-state/service-state.ts';
import { SqlProcessStore } from '../stores/service-state/sql-process-store.ts';
import type { SqlEndpointStore } from '../webhooks/sql-endpoint-store.ts';
import type { WebhookDeliverer } from '../webhooks/webhook-deliverer.ts';
import type { DatabaseAndAnalytics } from './open-stores.ts';

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
export interface Stores extends AdminPorts, LiveStores, ServiceState {
  readonly readers: ReadersHealth;
  readonly saved: SqlAudienceStore;
  readonly definitions: Definitions;
  readonly evaluator: Pick<AudienceScheduler, 'evaluate' | 'expectLive'>;
  readonly endpoints: SqlEndpointStore;
  readonly watches: SqlWatchStore;
  readonly endpointTester: Pick<WebhookDeliverer, 'test'>;
  readonly processes: ProcessStore;
  readonly figures: SqlStoreFigures;
}

export type SharedStores = ReturnType<typeof sharedStoresOn>;

/** What several parts of a process use. Questions go to the live generations. */
export function sharedStoresOn(config: Config, { database, analytics: first }: DatabaseAndAnalytics) {
  const progress = new LiveGenerations(database);
  const analytics = liveAnalytics(first, progress);
  return {
    database,
    progress,
    analytics,
    profiles: liveProfiles(database, progress),
    projects: new SqlProjectStore(database),
    saved: new SqlAudienceStore(database, config.maxProjectAudiences),
    processes: processStoreOf(config, database),
    figures: new SqlStoreFigures(database, first),
    losses: new LostAnalytics(database, first, progress),
    limits: queryLimitsOf(config),
  };
}

/** The limits of questions in projects that have no limits of their own. */
function queryLimitsOf({ queryMaxMs, queryMaxMemoryBytes, queryMaxRows }: Config): QueryLimits {
  return { maxMs: queryMaxMs, maxMemoryBytes: queryMaxMemoryBytes, maxRowsRead: queryMaxRows };
}

/** The limits of a project's questions: its own, else those of the configuration. */
export function projectLimitsOf(config: Config): (project: ProjectLimits) => QueryLimits {
  return (project) => limitsOf(project, queryLimitsOf(config));
}

/** Ids are joined but on a cluster, where a user and an anonymous id may be on two shards. */
export function newProjectDefaults(config: Config): NewProjectDefaults {
  return { timezone: config.initialTimezone, joinIds: !hasShards(config), keepEventsMonths: config.keepEventsMonths };
}

/** An embedded database has one process, which need not write what it would read itself. */
export function processStoreOf({ profilesUrl }: Config, database: DatabaseAndAnalytics['database']): ProcessStore {
  return isServer(profilesUrl) ? new SqlProcessStore(database) : new MemoryProcessStore();
}
