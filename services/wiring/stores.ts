import type { AnalyticsReader } from '../analytics/analytics-store.ts';
import type { ProfileReader, ReaderProgress } from '../profiles/profile-store.ts';
import type { ProjectStore } from '../projects/project-store.ts';

/** The parts beside the one that serves HTTP. */
export type ReaderPart = 'profiles' | 'analytics' | 'projector' | 'sink';

/** How the readers and their stores are. */
export interface ReadersHealth {
  /** Each part's state in a word: `ready`, `away`, `failed`. */
  health(): Promise<Readonly<Record<ReaderPart, string>>>;
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
}
