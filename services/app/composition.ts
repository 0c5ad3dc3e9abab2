import { BackupWatch } from '../operations/backup/backup-watch.ts';
import { ErasureWatch } from '../operations/erasure/erasure-watch.ts';
import type { JobRunner } from '../operations/jobs/job-runner.ts';
import { SqlJobStore } from '../operations/jobs/sql-job-store.ts';
import { SqlStoreFigures } from '../operations/status/store-figures.ts';
import type { AudienceScheduler } from '../questions/saved/audience-scheduler.ts';
import type { AudienceFollower } from '../questions/saved/audience-follower.ts';
import { SqlAudienceStore } from '../questions/saved/sql-audience-store.ts';
import { liveStores } from '../stores/generations/live-stores.ts';
import { projectDeletion } from '../stores/projects/delete-project.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import { SqlConsoleSessionStore } from '../stores/service-state/console-session-store.ts';
import { SqlRepeatStore } from '../stores/service-state/repeat-store.ts';
import { SqlAuditLog } from '../stores/service-state/sql-audit-log.ts';
import { SqlRefusalStore } from '../stores/service-state/sql-refusal-store.ts';
import type { WebhookDeliverer } from '../webhooks/webhook-deliverer.ts';
import { audienceSchedulerOf } from './audiences/audience-parts.ts';
import { webhooksOf } from './webhooks/webhook-parts.ts';
import type { DatabaseAndAnalytics } from './open-stores.ts';
import { type OpenStores, operationsOn, type Surroundings } from './operations.ts';
import { processStoreOf, type ReadersHealth, type Stores } from './stores.ts';
import { withMetricsOf } from './reader-side.ts';

/** What a process has beside its stores. */
export interface ProcessParts extends Omit<Surroundings, 'jobs' | 'tellDifference'> {
  readonly readers: ReadersHealth;
  readonly isClockWrong?: () => Promise<boolean>;
  /** Keeps audiences live; left out where the process does not. */
  readonly live?: AudienceFollower;
}

export interface Composition {
  /** As the HTTP side calls them: questions always go to the live generations. */
  readonly stores: Stores;
  readonly jobs: JobRunner;
  readonly scheduler: AudienceScheduler;
  readonly deliverer: WebhookDeliverer;
  readonly backups: BackupWatch;
  readonly erasures: ErasureWatch;
}

/** Composes what a process does on its stores, in every role that answers operators: they may be open, or stand-ins. */
export function compose(
  parts: ProcessParts,
  { database, analytics }: DatabaseAndAnalytics,
  open: OpenStores,
): Composition {
  const { config, logger, readers } = parts;
  const live = liveStores(database, analytics);
  const { endpoints, deliverer, tellDifference } = webhooksOf(
    config,
    logger,
    { database, analytics },
    async () => (await open(['codec'])).codec,
  );
  const operations = operationsOn({ ...parts, tellDifference, jobs: new SqlJobStore(database) }, open);
  const scheduler = audienceSchedulerOf(config, logger, { database, analytics }, parts);
  const stores: Stores = {
    ...live,
    ...operations,
    readers: parts.hasReaders ? withMetricsOf(readers, deliverer) : readers,
    evaluator: scheduler,
    endpoints,
    endpointTester: deliverer,
    processes: processStoreOf(config, database),
    projects: new SqlProjectStore(database),
    deletion: projectDeletion(database),
    saved: new SqlAudienceStore(database, config.maxProjectAudiences),
    audit: new SqlAuditLog(database),
    refusals: new SqlRefusalStore(database),
    repeats: new SqlRepeatStore(database),
    figures: new SqlStoreFigures(database, live.analytics),
    consoleSessions: new SqlConsoleSessionStore(database),
  };
  const { backupDir: folder, backupEveryMs: everyMs } = config;
  const backups = new BackupWatch({ folder, everyMs, database, jobs: operations.jobs, logger });
  const erasures = new ErasureWatch({ database, jobs: operations.jobs, logger });
  return { stores, jobs: operations.jobs, scheduler, deliverer, backups, erasures };
}
