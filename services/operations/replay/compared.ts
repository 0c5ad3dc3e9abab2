import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';

/** The result of comparing one kind of data in two generations. JSON. */
export interface Compared {
  /** `profiles`, `events`, … */
  readonly what: string;
  /** The unit of the counts: `users`, or `days` (an event on a day). */
  readonly unit: string;
  readonly equal: number;
  /** In both generations, but different. */
  readonly different: number;
  /** Only in the live generation. */
  readonly missing: number;
  /** Only in the new generation. */
  readonly extra: number;
  /** Messages for these arrived during every attempt, so they could not be compared. */
  readonly undecided: number;
  /** Names of some that are different, missing or extra. */
  readonly sample: readonly string[];
}

export interface ComparisonParts {
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode'>;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
  readonly signal: AbortSignal;
  /** Called with the progress. */
  readonly onStep: (done: number, unit: string) => void;
}

/** The two generations to compare, and the projects. */
export interface Pair {
  readonly live: number;
  readonly fresh: number;
  /** The project to compare; null for all but `except`. */
  readonly projectId: string | null;
  /** Projects for which another generation is live. */
  readonly except: readonly string[];
}

export type Verdict = 'different' | 'missing' | 'extra';

export const SAMPLE = 20;

/** Whether there is no difference. */
export function isSame(parts: readonly Compared[]): boolean {
  return parts.every(({ different, missing, extra }) => different + missing + extra === 0);
}

/** Counts by verdict. */
export function countVerdicts(verdicts: Iterable<Verdict>): Record<Verdict, number> {
  const counts = { different: 0, missing: 0, extra: 0 };
  for (const verdict of verdicts) counts[verdict]++;
  return counts;
}
