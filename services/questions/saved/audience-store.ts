/** Saved audiences. They are not in the log, a replay does not change them, and the backup of the projects has them. */
import type { Difference, Evaluation, EvaluationCause } from '../../stores/analytics/analytics-store.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import type { JsonText, Micros } from '../../messages/message.ts';
import type { ErrorCode } from '../../runtime/errors.ts';

export interface SavedAudience {
  /** `aud_` and 20 lower-case letters and digits. */
  readonly id: string;
  readonly projectId: string;
  /** Unique in the project. */
  readonly name: string;
  /** What its owners say of it; '' for nothing. */
  readonly note: string;
  /** By which words it is found. */
  readonly tags: readonly string[];
  /** The text as it was sent, with every digit. */
  readonly definition: JsonText;
  /** The version of the definition: starts at 1 and increases by one with every change. */
  readonly version: number;
  /** Starts at 1 and increases by one with every change by a caller. Evaluations do not change it. */
  readonly revision: number;
  /** The interval of scheduled evaluations; null if it is evaluated only on request. */
  readonly refreshMs: number | null;
  /** Whether it follows every message and the passing of time. Then it has no interval. */
  readonly isLive: boolean;
  /** Up to when it has followed, also where it no longer does: changes up to then can be read. Null before it begins to. */
  readonly liveThrough: Micros | null;
  /** Whether it follows now: `liveThrough` is then no earlier than its last evaluation. */
  readonly isFollowed: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The last successful evaluation. */
  readonly evaluation: LastEvaluation | null;
  /** The error code of a later evaluation that failed. */
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
  /** Left out: not. Given only beside `refreshMs`, which is null if this is true. */
  readonly isLive?: boolean;
  /** Nothing where left out. */
  readonly note?: string;
  readonly tags?: readonly string[];
}

/** On what a change depends, and who makes it. */
export interface ChangeTerms {
  /** The change is made only to one of these revisions. */
  readonly ifRevisions?: readonly number[];
  /** The id of the key; left out if it is not known. */
  readonly by?: string;
}

/** A definition that an audience has or had. */
export interface AudienceVersion {
  readonly version: number;
  /** The text as it was sent, with every digit. */
  readonly definition: JsonText;
  /** When it became the definition; null if it is not known. */
  readonly changedAtMs: number | null;
  /** The id of the key that it came with; null if it is not known. */
  readonly changedBy: string | null;
  /** What that key is called; null if it has no name, or is not known. */
  readonly changedByName: string | null;
}

/** Which evaluations of an audience. */
export interface EvaluationsQuery {
  readonly limit: number;
  /** Only those from this time on. */
  readonly since?: Micros;
  /** Only those before this time. */
  readonly before?: Micros;
  /**
   * One entry for every period of this length, counted from 1970: its last evaluation, with the sums of who entered and
   * who left. Left out: one for every evaluation.
   */
  readonly perMicros?: Micros;
}

/** How many users were in an audience after an evaluation. */
export type AudienceSize = Pick<LastEvaluation, 'at' | 'members'>;

/** How many of an audience's evaluations and definitions are kept: the newest. */
export const MAX_EVALUATIONS = 10_000;
export const MAX_VERSIONS = 100;

/** A position in the list, which is sorted newest first by (createdAtMs, id). The next page begins after it. */
export type AudienceCursor = Pick<SavedAudience, 'createdAtMs' | 'id'>;

/**
 * Arguments and results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` while the store is
 * unreachable.
 */
export interface AudienceStore {
  /**
   * Creates an audience. With a refresh it is due at once.
   *
   * @throws TidemarkError `AUDIENCE_EXISTS` if the project has one of this name; `AUDIENCE_LIMIT` if it has the maximum
   *   number; `PROJECT_UNKNOWN`; `AUDIENCE_UNKNOWN` if its definition refers to one that the project does not have.
   */
  create(projectId: string, audience: NewAudience, by?: string): Promise<SavedAudience>;
  /** Newest first. @param tag Only those that have it. */
  list(projectId: string, limit: number, after?: AudienceCursor, tag?: string): Promise<readonly SavedAudience[]>;
  find(projectId: string, id: string): Promise<SavedAudience | undefined>;
  /** Those that there are, in no order. */
  findAll(projectId: string, ids: readonly string[]): Promise<readonly SavedAudience[]>;
  /**
   * The version changes only if the definition does.
   *
   * @throws TidemarkError `AUDIENCE_UNKNOWN`; `AUDIENCE_CHANGED` if it has another revision; `AUDIENCE_EXISTS`;
   *   `AUDIENCE_CIRCLE` if its definition refers to itself, by whatever others.
   */
  update(projectId: string, id: string, changes: Partial<NewAudience>, terms?: ChangeTerms): Promise<SavedAudience>;
  /**
   * Hides it at once; its history is deleted later.
   *
   * @throws TidemarkError `AUDIENCE_UNKNOWN`; `AUDIENCE_CHANGED`; `AUDIENCE_USED` while others refer to it.
   */
  remove(projectId: string, id: string, terms?: ChangeTerms): Promise<void>;
  /** Newest first. @param before Only versions below this one. */
  versions(projectId: string, id: string, limit: number, before?: number): Promise<readonly AudienceVersion[]>;
  /** Newest first. */
  evaluations(projectId: string, id: string, query: EvaluationsQuery): Promise<readonly LastEvaluation[]>;
  /**
   * The sizes of each of these audiences since a time, newest first: the last of each period of this length, counted from
   * 1970. Audiences without any are left out.
   */
  sizes(
    ids: readonly string[],
    since: Micros,
    perMicros: Micros,
  ): Promise<ReadonlyMap<string, readonly AudienceSize[]>>;
  /**
   * The newest evaluation of each of these audiences that changed who is in it and whose changes can be read; null if there
   * was none since this is noted. Audiences that do not exist are left out.
   */
  changesReadableAt(ids: readonly string[]): Promise<ReadonlyMap<string, Micros | null>>;
  /** Which live changes count. */
  liveEpochs(): Promise<readonly LiveEpoch[]>;
}

/** The exclusive right to evaluate an audience, or to delete its remains, for a limited time. */
export interface Claim {
  readonly audience: SavedAudience;
  readonly token: string;
  /** The time of the evaluation: later than that of any evaluation before it, even of those that failed. */
  readonly at: Micros;
  readonly isDeleted: boolean;
}

/**
 * The open epoch of the process that claims, whose holder alone may claim live audiences; 0 where it has none. Null: nobody
 * follows audiences in this form of the service, and anybody may claim them. Null is the default.
 */
export type ClaimantEpoch = bigint | null;

/** Claims on audiences to evaluate. Times are those of the database's clock, because those of processes may differ. */
export interface AudienceClaims {
  /**
   * Claims an unclaimed audience that is due or deleted; undefined if there is no such audience. It prefers
   * one of the project after `lastProjectId` in the cyclic order of ids, so that each project has its turn.
   */
  claimDue(leaseMs: number, lastProjectId?: string, epoch?: ClaimantEpoch): Promise<Claim | undefined>;
  /** @throws TidemarkError `AUDIENCE_BUSY`, retryable; `AUDIENCE_UNKNOWN`. */
  claim(projectId: string, id: string, leaseMs: number, epoch?: ClaimantEpoch): Promise<Claim>;
  /** Makes a live audience due now, for whoever may claim it, and forgets that an evaluation failed. */
  makeDue(projectId: string, id: string): Promise<void>;
  /** Whether the audience is due or being evaluated; null: neither. */
  isAwaited(id: string): Promise<'due' | 'claimed' | null>;
  /** Returns false if the claim has expired. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>;
  /**
   * Records a successful evaluation, and that it was the last; the next is due after the refresh. Returns false, and changes nothing, if the
   * claim has expired.
   */
  commit(claim: Claim, evaluation: Evaluation, difference: Difference): Promise<boolean>;
  /** Notes that the changes of this evaluation can be read. */
  noteReadable(claim: Claim, at: Micros): Promise<void>;
  /** The evaluation failed. The next is due after this time, or after the refresh if that is shorter. */
  giveUp(claim: Claim, failure: ErrorCode, againInMs: number): Promise<void>;
  /** Releases the claim, whether or not the evaluation succeeded. */
  release(claim: Claim): Promise<void>;
  /** Deletes the row of a deleted audience. */
  forget(claim: Claim): Promise<void>;
}
