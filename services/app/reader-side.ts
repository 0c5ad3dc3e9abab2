/**
 * What works on opened stores in this thread: the readers and, where analytics is open, the audience scheduler and what sends
 * webhooks.
 */
import type { AudienceScheduler } from '../questions/saved/audience-scheduler.ts';
import type { LiveAudiences } from '../questions/live/live-audiences.ts';
import { DeadLetterWatch } from '../operations/dead-letters/dead-letter-watch.ts';
import { Heartbeat } from '../operations/status/heartbeat.ts';
import { SqlStoreFigures } from '../operations/status/store-figures.ts';
import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import { ProjectWriter } from '../operations/project-log/project-writer.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ProcessStore } from '../stores/service-state/process-store.ts';
import { closeStores } from './lazy-stores.ts';
import type { OpenedStores, StoresWithoutAnalytics } from './open-stores.ts';
import type { Readers } from './readers/readers.ts';
import { noteDeadLetters, wantsDeadLetters } from '../webhooks/dead-letter-notices.ts';
import type { WebhookDeliverer } from '../webhooks/webhook-deliverer.ts';
import { onlyOnce } from './role.ts';
import type { ReadersHealth } from './stores.ts';

export interface ReaderSideParts {
  readonly stores: StoresWithoutAnalytics & { readonly analytics?: AnalyticsStore };
  readonly readers: Readers;
  readonly scheduler?: AudienceScheduler;
  readonly deliverer?: WebhookDeliverer;
  /** Has endpoints told of dead letters, where webhooks are sent. */
  readonly letterWatch?: DeadLetterWatch;
  /** Keeps audiences live; left out where the process does not. */
  readonly live?: LiveAudiences;
  /** Adds the metrics of what is live to those of the readers. */
  readonly withMetrics?: (readers: ReadersHealth) => ReadersHealth;
  readonly heartbeat: Heartbeat;
  /** Puts projects on the log; left out where another process does. */
  readonly projectWriter?: ProjectWriter;
}

export class ReaderSide {
  readonly readers: Readers;
  /** Finishes the batches under way. */
  readonly stop = onlyOnce(async () => {
    const { readers, heartbeat, projectWriter, letterWatch } = this.#parts;
    await Promise.all([readers.stop(), heartbeat.stop(), projectWriter?.stop(), letterWatch?.stop()]);
  });
  readonly #parts: ReaderSideParts;

  constructor(parts: ReaderSideParts) {
    this.#parts = parts;
    this.readers = parts.readers;
  }

  start(): void {
    this.readers.start();
    this.#parts.live?.start();
    this.#parts.scheduler?.start();
    this.#parts.deliverer?.start();
    this.#parts.letterWatch?.start();
    this.#parts.heartbeat.start();
    this.#parts.projectWriter?.start();
  }

  metrics(): Promise<string> {
    const { readers, deliverer, withMetrics } = this.#parts;
    const all = withMetrics?.(readers) ?? readers;
    return deliverer === undefined ? all.metrics() : withMetricsOf(all, deliverer).metrics();
  }

  /** Stops and closes the stores. An evaluation under way is ended, not waited for. */
  async close(): Promise<void> {
    const { stores, scheduler, live, deliverer } = this.#parts;
    const othersStopped = Promise.all([scheduler?.stop(), live?.stop(), deliverer?.stop()]);
    await this.stop();
    // This is what ends the evaluation, and what is read for webhooks.
    await stores.analytics?.close();
    await othersStopped;
    await closeStores(stores);
  }
}

/** The readers, with the metrics of something else beside their own. */
export function withMetricsOf(
  readers: ReadersHealth,
  others: { readonly metrics: () => Promise<string> },
): ReadersHealth {
  return {
    health: () => readers.health(),
    metrics: async () => (await Promise.all([readers.metrics(), others.metrics()])).join(''),
  };
}

/** Tells the other processes how the readers of this one are. */
export function heartbeatOf(role: string, readers: Readers, processes: ProcessStore, logger: Logger): Heartbeat {
  return new Heartbeat({ role, part: 'readers', processes, observe: () => readers.observe(), logger });
}

export function projectWriterOf(stores: StoresWithoutAnalytics, logger: Logger): ProjectWriter {
  return new ProjectWriter({ ...stores, logger });
}

/** Has endpoints of webhooks told of the dead letters that wait. */
export function letterWatchOf({ database, analytics, log, codec }: OpenedStores, logger: Logger): DeadLetterWatch {
  return new DeadLetterWatch({
    log,
    codec,
    figures: new SqlStoreFigures(database, analytics),
    isWanted: () => wantsDeadLetters(database),
    tell: ({ letters, isWhole }) => noteDeadLetters(database, letters, isWhole),
    logger,
  });
}
