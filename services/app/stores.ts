import type { AdminPorts } from '../operations/ports.ts';
import type { Config } from '../runtime/config.ts';
import type { Database } from '../stores/database/database.ts';
import type { SqlConsoleSessionStore } from '../stores/service-state/console-session-store.ts';
import { MemoryProcessStore, type ProcessStore } from '../stores/service-state/process-store.ts';
import type { SqlRepeatStore } from '../stores/service-state/repeat-store.ts';
import type { SqlAuditLog } from '../stores/service-state/sql-audit-log.ts';
import { SqlProcessStore } from '../stores/service-state/sql-process-store.ts';
import type { SqlRefusalStore } from '../stores/service-state/sql-refusal-store.ts';
import { isServer } from '../runtime/embedded.ts';
import type { SqlEndpointStore } from '../webhooks/sql-endpoint-store.ts';
import type { WebhookDeliverer } from '../webhooks/webhook-deliverer.ts';
import type { AudienceScheduler } from '../questions/saved/audience-scheduler.ts';
import type { SqlAudienceStore } from '../questions/saved/sql-audience-store.ts';
import type { LiveStores } from '../stores/generations/live-stores.ts';
import type { SqlStoreFigures } from '../operations/status/store-figures.ts';

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
export interface Stores extends AdminPorts, LiveStores {
  readonly readers: ReadersHealth;
  readonly saved: SqlAudienceStore;
  readonly audit: SqlAuditLog;
  readonly evaluator: Pick<AudienceScheduler, 'evaluate' | 'expectLive'>;
  readonly endpoints: SqlEndpointStore;
  readonly endpointTester: Pick<WebhookDeliverer, 'test'>;
  readonly refusals: SqlRefusalStore;
  readonly repeats: SqlRepeatStore;
  readonly processes: ProcessStore;
  readonly figures: SqlStoreFigures;
  readonly consoleSessions: SqlConsoleSessionStore;
}

/** An embedded database has one process, which need not write what it would read itself. */
export function processStoreOf({ profilesUrl }: Config, database: Pick<Database, 'query'>): ProcessStore {
  return isServer(profilesUrl) ? new SqlProcessStore(database) : new MemoryProcessStore();
}
