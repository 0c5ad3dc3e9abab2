/** Saved audiences: not in the log, never touched by replay, to be backed up with the projects. */
import type { Difference, Evaluation, EvaluationCause } from '../../stores/analytics/audience-history.ts';
import type { JsonText, Micros } from '../../messages/message.ts';
import type { ErrorCode } from '../../runtime/errors.ts';

export interface SavedAudience {
  /** `aud_` and 20 lower-case letters and digits. */
  readonly id: string;
  readonly projectId: string;
  /** The only one of this name in the project. */
  readonly name: string;
  /** As it was sent, digit for digit. */
  readonly definition: JsonText;
  /** Of the definition: from 1, one more with every change of it. */
  readonly version: number;
  /** How often it is evaluated by itself; null is only when asked. */
  readonly refreshMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The last one that counts. */
  readonly evaluation: LastEvaluation | null;
  /** The code of an evaluation after that one which failed. */
  readonly failure: ErrorCode | null;
}

export interface LastEvaluation extends Difference {
  readonly at: Micros;
  readonly version: number;
  readonly cause: EvaluationCause;
}

export interface NewAudience {
  readonly name: string;
  readonly definition: JsonText;
  readonly refreshMs: number | null;
}

/** A position in the list, which is sorted newest first by (createdAtMs, id). The next page begins after it. */
export type AudienceCursor = Pick<SavedAudience, 'createdAtMs' | 'id'>;

/** Arguments and results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` while the store is unreachable. */
export interface AudienceStore {
  /**
   * With a refresh it is due at once. @throws TidemarkError `AUDIENCE_EXISTS` where the project has one of this name;
   * `AUDIENCE_LIMIT` where it has as many as it may;
   * `PROJECT_UNKNOWN`.
   */
  create(projectId: string, audience: NewAudience): Promise<SavedAudience>;
  /** Newest first. */
  list(projectId: string, limit: number, after?: AudienceCursor): Promise<readonly SavedAudience[]>;
  find(projectId: string, id: string): Promise<SavedAudience | undefined>;
  /** What leaves the definition as it is leaves its version. @throws `AUDIENCE_UNKNOWN`, `AUDIENCE_EXISTS`. */
  update(projectId: string, id: string, changes: Partial<NewAudience>): Promise<SavedAudience>;
  /** From now on nobody sees it; its history is deleted after. @throws TidemarkError `AUDIENCE_UNKNOWN`. */
  remove(projectId: string, id: string): Promise<void>;
}

/** The right to evaluate an audience, or to delete what is left of it, for a time. Nobody else has it meanwhile. */
export interface Claim {
  readonly audience: SavedAudience;
  readonly token: string;
  /** When the evaluation is: later than any before it, whatever became of those. */
  readonly at: Micros;
  readonly isDeleted: boolean;
}

/** Who evaluates what. Times are of the database's clock: the processes' may differ. */
export interface AudienceClaims {
  /**
   * One that is due, or deleted; undefined where there is none that nobody has. Of several it is one of the project that
   * comes next after this one, in the order of ids and round: whoever names the last project gives each its turn.
   */
  claimDue(leaseMs: number, lastProjectId?: string): Promise<Claim | undefined>;
  /** @throws TidemarkError `AUDIENCE_BUSY`, retryable; `AUDIENCE_UNKNOWN`. */
  claim(projectId: string, id: string, leaseMs: number): Promise<Claim>;
  /** Returns false if the claim has expired. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>;
  /** The evaluation counts from now on; the next is due after the refresh. False, and nothing done, where it is no longer held. */
  commit(claim: Claim, evaluation: Evaluation, difference: Difference): Promise<boolean>;
  /** The evaluation failed. The next is due after this time, or after the refresh if that is shorter. */
  giveUp(claim: Claim, failure: ErrorCode, againInMs: number): Promise<void>;
  /** Releases the claim, whether or not the evaluation succeeded. */
  release(claim: Claim): Promise<void>;
  /** Deletes the row of a deleted audience. */
  forget(claim: Claim): Promise<void>;
}
