import type { AdminPorts } from '../operations/ports.ts';
import type { StoreFigures } from '../operations/status/store-figures.ts';
import type { AudienceEvaluator } from '../questions/saved/audience-scheduler.ts';
import type { AudienceStore } from '../questions/saved/audience-store.ts';
import type { Config } from '../runtime/config.ts';
import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import type { AuditLog } from '../stores/service-state/audit-log.ts';
import type { Database } from '../stores/database/database.ts';
import type { ProfileReader, ReaderProgress } from '../stores/profiles/profile-store.ts';
import type { ConsoleSessionStore } from '../stores/service-state/console-session-store.ts';
import type { RefusalStore } from '../stores/service-state/refusal-store.ts';
import type { RepeatStore } from '../stores/service-state/repeat-store.ts';
import { MemoryProcessStore, type ProcessStore } from '../stores/service-state/process-store.ts';
import { SqlProcessStore } from '../stores/service-state/sql-process-store.ts';
import type { EndpointStore, EndpointTester } from '../webhooks/endpoint-store.ts';
import { isServer } from '../runtime/embedded.ts';

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
  readonly endpoints: EndpointStore;
  readonly endpointTester: EndpointTester;
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
