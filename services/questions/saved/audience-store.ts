/** Saved audiences. They are not in the log, a replay does not change them, and the backup of the projects has them. */
import type { Difference, EvaluationCause } from '../../stores/analytics/analytics-store.ts';
import type { JsonText, Micros } from '../../messages/message.ts';
import type { ErrorCode } from '../../runtime/errors.ts';
import type { Lease } from '../../stores/database/leases.ts';

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

/** How many of an audience's evaluations and definitions are kept: the newest. A week of minutes has 10,080. */
export const MAX_EVALUATIONS = 11_000;
export const MAX_VERSIONS = 100;

/** A position in the list, which is sorted newest first by (createdAtMs, id). The next page begins after it. */
export type AudienceCursor = Pick<SavedAudience, 'createdAtMs' | 'id'>;

/** The lease of an audience that is to be evaluated, or whose remains are to be deleted. */
export interface Claim extends Lease {
  readonly audience: SavedAudience;
  /** The time of the evaluation: later than that of any evaluation before it, even of those that failed. */
  readonly at: Micros;
  readonly isDeleted: boolean;
}

/**
 * The open epoch of the process that claims, whose holder alone may claim live audiences; 0 where it has none. Null: nobody
 * follows audiences in this form of the service, and anybody may claim them. Null is the default.
 */
export type ClaimantEpoch = bigint | null;
