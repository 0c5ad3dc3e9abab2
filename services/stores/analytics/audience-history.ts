import type { Micros } from '../../messages/message.ts';
import type { Query, QueryLimits } from './analytics-store.ts';

/** Why the members of an evaluation may differ from those of the one before. */
export type EvaluationCause = 'first' | 'definition' | 'refresh';

/** One evaluation of a saved audience. */
export interface Evaluation {
  readonly projectId: string;
  readonly audienceId: string;
  /** When it was evaluated, which names it: of two evaluations of one audience the later has the higher. */
  readonly at: Micros;
  /** Version of the definition. */
  readonly version: number;
  readonly cause: EvaluationCause;
}

export interface Difference {
  readonly entered: number;
  readonly left: number;
  /** After it. */
  readonly members: number;
}

/** Changes after a point of the history. */
export interface ChangesQuery {
  readonly projectId: string;
  readonly audienceId: string;
  /** Only what comes after this evaluation, or after this user within it. */
  readonly after: { readonly at: Micros; readonly user: bigint };
  /** No later evaluation than this. */
  readonly until: Micros;
  readonly limit: number | null;
}

/**
 * What became of the members of saved audiences. Not in the log: it cannot be made again. One evaluation is written in
 * two steps, so that a crash leaves nothing half written:
 *
 * 1. `difference` writes who entered and left since the last evaluation that was finalized. Nobody sees it yet. Whoever
 *    fails here tries again under a later `at`.
 * 2. The caller notes durably that this evaluation counts. Then `finalize` shows it, and may be repeated until it succeeds:
 *    before the next `difference` of the same audience.
 */
export interface AudienceHistory {
  /**
   * @param members A SELECT of `user`, `user_id`, `anonymous_id`, `internal_id` and the boolean `is_in`, a row for every user.
   * @throws TidemarkError as `AnalyticsReader.ask`.
   */
  difference(evaluation: Evaluation, members: Query, limits: QueryLimits): Promise<Difference>;
  /** @throws TidemarkError `STORE_UNAVAILABLE`, `STOPPING`. */
  finalize(evaluation: Evaluation): Promise<void>;
  /** The newest evaluation that is finalized, as `AnalyticsReader` has it. */
  finalizedAt(projectId: string, audienceId: string): Promise<Micros | null>;
  /** Deletes all that is known of an audience's members, soon after it resolves. May be repeated. */
  forgetAudience(projectId: string, audienceId: string): Promise<void>;
}
