import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';

/** What two generations were found to hold of one thing. JSON. */
export interface Compared {
  /** `profiles`, `events`, … */
  readonly what: string;
  /** What is counted: `users`, or `days` (an event on a day). */
  readonly unit: string;
  readonly equal: number;
  /** In both, and not the same. */
  readonly different: number;
  /** In the live generation alone. */
  readonly missing: number;
  /** In the new generation alone. */
  readonly extra: number;
  /** For these a message arrived at every look: whether they are the same could not be told. */
  readonly undecided: number;
  /** Some of what is different, missing or extra, named. */
  readonly sample: readonly string[];
}

export interface ComparisonParts {
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode'>;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
  readonly signal: AbortSignal;
  /** Told how far it is. */
  readonly onStep: (done: number, unit: string) => void;
}

/** Which two, and of whom. */
export interface Pair {
  readonly live: number;
  readonly fresh: number;
  /** The one project that is compared; null: all but `except`. */
  readonly projectId: string | null;
  /** Projects that another generation answers. */
  readonly except: readonly string[];
}

export type Verdict = 'different' | 'missing' | 'extra';

export const SAMPLE = 20;

/** Whether no difference was found. */
export function isSame(parts: readonly Compared[]): boolean {
  return parts.every(({ different, missing, extra }) => different + missing + extra === 0);
}

/** Counts by verdict. */
export function countVerdicts(verdicts: Iterable<Verdict>): Record<Verdict, number> {
  const counts = { different: 0, missing: 0, extra: 0 };
  for (const verdict of verdicts) counts[verdict]++;
  return counts;
}
