/** What works on opened stores in this thread: the readers and, where analytics is open, the audience scheduler. */
import type { AudienceScheduler } from '../questions/saved/audience-scheduler.ts';
import type { LiveAudiences } from '../questions/live/live-audiences.ts';
import { Heartbeat } from '../operations/status/heartbeat.ts';
import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import { ProjectWriter } from '../operations/project-log/project-writer.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ProcessStore } from '../stores/service-state/process-store.ts';
import { closeStores } from './lazy-stores.ts';
import type { StoresWithoutAnalytics } from './open-stores.ts';
import type { Readers } from './readers/readers.ts';

export interface ReaderSideParts {
  readonly stores: StoresWithoutAnalytics & { readonly analytics?: AnalyticsStore };
  readonly readers: Readers;
  readonly scheduler?: AudienceScheduler;
  /** Keeps audiences live; left out where the process does not. */
  readonly live?: LiveAudiences;
  readonly heartbeat: Heartbeat;
  /** Puts projects on the log; left out where another process does. */
  readonly projectWriter?: ProjectWriter;
}

export class ReaderSide {
  readonly readers: Readers;
  readonly #parts: ReaderSideParts;

  constructor(parts: ReaderSideParts) {
    this.#parts = parts;
    this.readers = parts.readers;
  }

  start(): void {
    this.readers.start();
    this.#parts.live?.start();
    this.#parts.scheduler?.start();
    this.#parts.heartbeat.start();
    this.#parts.projectWriter?.start();
  }

  /** Finishes the batches under way and closes the stores. An evaluation under way is ended, not waited for. */
  async close(): Promise<void> {
    const { stores, readers, scheduler, live, heartbeat, projectWriter } = this.#parts;
    const [schedulerStopped, liveStopped] = [scheduler?.stop(), live?.stop()];
    await Promise.all([readers.stop(), heartbeat.stop(), projectWriter?.stop()]);
    // This is what ends the evaluation.
    await stores.analytics?.close();
    await Promise.all([schedulerStopped, liveStopped]);
    await closeStores(stores);
  }
}

/** Tells the other processes how the readers of this one are. */
export function heartbeatOf(role: string, readers: Readers, processes: ProcessStore, logger: Logger): Heartbeat {
  return new Heartbeat({ role, part: 'readers', processes, observe: () => readers.observe(), logger });
}

export function projectWriterOf(stores: StoresWithoutAnalytics, logger: Logger): ProjectWriter {
  return new ProjectWriter({ ...stores, logger });
}
