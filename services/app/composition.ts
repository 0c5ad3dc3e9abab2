import { Definitions } from '../api/definitions/definitions.ts';
import type { JobRunner } from '../operations/jobs/job-runner.ts';
import {
  Schedule,
  type Scheduled,
  scheduledBackup,
  scheduledDeletions,
  scheduledErasures,
  scheduledSizes,
  scheduledLogCut,
} from '../operations/jobs/schedule.ts';
import type { AudienceFollower } from '../questions/saved/audience-follower.ts';
import type { AudienceScheduler } from '../questions/saved/audience-scheduler.ts';
import { SqlWatchStore } from '../questions/watches/sql-watch-store.ts';
import { projectDeletion } from '../stores/projects/delete-project.ts';
import { SqlJoinDecisions } from '../stores/profiles/sql-join-decisions.ts';
import { serviceStateOn } from '../stores/service-state/service-state.ts';
import { SqlEndpointStore } from '../webhooks/sql-endpoint-store.ts';
import type { WebhookDeliverer } from '../webhooks/webhook-deliverer.ts';
import { audienceSchedulerOf } from './audience-parts.ts';
import { backupScheduleOf, checksOf } from './interface-routes.ts';
import type { OpenStores, Surroundings } from './jobs.ts';
import { operationsOn } from './operations.ts';
import type { ReadersHealth, SharedStores, Stores } from './stores.ts';
import type { OpenedStores } from './open-stores.ts';
import { watchesOf } from './webhooks/watch-parts.ts';
import { webhookDelivererOf } from './webhooks/webhook-parts.ts';

/** What a process has beside its stores. */
export interface CompositionParts extends Surroundings {
  readonly readers: ReadersHealth;
  readonly isClockWrong?: () => Promise<boolean>;
  /** Keeps audiences live; undefined where the process does not, null where none does. */
  readonly live?: AudienceFollower | null | undefined;
  /** What watches are evaluated on; left out where the process evaluates none. */
  readonly opened?: Pick<OpenedStores, 'log' | 'codec'>;
  /** What it begins by itself beside backups and erasures. */
  readonly scheduled?: readonly Scheduled[];
}

export interface Composition {
  /** As the HTTP side calls them: questions always go to the live generations. */
  readonly stores: Stores;
  readonly jobs: JobRunner;
  readonly scheduler: AudienceScheduler;
  readonly deliverer: WebhookDeliverer;
  /** Begins jobs by itself, from when all stores are open. */
  readonly schedule: Schedule;
}

/** Composes what a process does on its stores, in every role that answers operators: they may be open, or stand-ins. */
export function compose(parts: CompositionParts, shared: SharedStores, open: OpenStores): Composition {
  const { config, logger, readers } = parts;
  const { database, profiles, analytics, progress, processes, projects, saved, figures } = shared;
  const deliverer = webhookDelivererOf(config, logger, shared, async () => (await open(['codec'])).codec);
  const operations = operationsOn(parts, database, open);
  const watches = parts.opened && watchesOf(config, logger, parts.opened, shared);
  const scheduler = audienceSchedulerOf(config, logger, shared, { ...parts, watches });
  const stores: Stores = {
    ...operations,
    readers,
    profiles,
    analytics,
    progress,
    processes,
    projects,
    saved,
    figures,
    evaluator: scheduler,
    endpoints: new SqlEndpointStore(database),
    endpointTester: deliverer,
    watches: new SqlWatchStore(database),
    joins: new SqlJoinDecisions(database),
    deletion: projectDeletion(database),
    definitions: new Definitions({ ...shared, ...checksOf(config), ...operations, evaluator: scheduler }),
    ...serviceStateOn(database),
  };
  const { jobs } = operations;
  const own = [
    scheduledBackup(backupScheduleOf(config)),
    scheduledErasures(database),
    scheduledDeletions(database),
    scheduledSizes(),
    scheduledLogCut(config),
  ].flat();
  const schedule = new Schedule({ entries: [...own, ...(parts.scheduled ?? [])], jobs, logger });
  return { stores, jobs, scheduler, deliverer, schedule };
}
