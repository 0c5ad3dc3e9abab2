import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import type { AudienceStore } from '../audience/saved/audience-store.ts';
import type { AudienceEvaluator } from '../audience/saved/audience-scheduler.ts';
import type { ProfileReader, ReaderProgress } from '../stores/profiles/profile-store.ts';
import type { ProjectStore } from '../stores/projects/project-store.ts';

/** How the stores, and the readers where the process has them, are. */
export interface ReadersHealth {
  /** The state of each part that the process has, in a word: `ready`, `away`, `failed`. */
  health(): Promise<Readonly<Record<string, string>>>;
  /** Their metrics in Prometheus' text format. */
  metrics(): Promise<string>;
}

/**
 * What the HTTP side asks of the rest. Everything in it can be called from another thread: methods are asynchronous,
 * arguments and results can be cloned.
 */
export interface Stores {
  readonly profiles: ProfileReader;
  readonly projects: ProjectStore;
  readonly analytics: AnalyticsReader;
  readonly progress: ReaderProgress;
  readonly readers: ReadersHealth;
  readonly saved: AudienceStore;
  readonly evaluator: AudienceEvaluator;
}
