/** What a verification comes to, as plain JSON: the last line of its stream. Its job keeps the totals alone. */
import type { Answer } from './operations.ts';

/** One project in one hour. */
export type HourReport = Answer<'GET /v1/admin/verifications/{id}'>['hours'][number];

export interface VerificationReport {
  readonly equal: boolean;
  readonly since: string | null;
  readonly until: string | null;
  readonly project: string | null;
  readonly records_read: number;
  readonly took_ms: number;
  readonly hours: readonly HourReport[];
  /** Records that are not valid messages and are in the dead letters. */
  readonly undecodable: number;
  /** Messages of projects that were deleted: in the log until its retention ends, and in no store. */
  readonly skipped: number;
  /** Events that their projects no longer keep: in the log, and not compared with analytics. Absent in older reports. */
  readonly events_not_kept?: number;
  /** Blank records that are not those of people who were forgotten: what they were is lost. Absent in older reports. */
  readonly blank_unlisted?: Finding;
  /** Messages that the projector has counted of hours of which the log lacks some, since it was cut. Absent in older reports. */
  readonly not_compared?: number;
  /** Records gone from the beginning of the log, and of each partition by `topic/partition`: nothing is known of them. */
  readonly deleted_from_log: { readonly records: number; readonly partitions: Readonly<Record<string, number>> };
  /** Messages of projects that the database does not have, so that no key opens them, and the first of those projects. */
  readonly unknown_projects: { readonly messages: number; readonly projects: readonly string[] };
  /**
   * Messages missing in the store. For Postgres, `uncounted` is the number of messages by which its count is too low,
   * including those that could not be identified.
   */
  readonly missing: { readonly postgres: Finding & { readonly uncounted: number }; readonly clickhouse: Finding };
  /**
   * Messages in the store but not in the log: those counted too often in Postgres, and rows without a message in
   * ClickHouse.
   */
  readonly surplus: { readonly postgres: number; readonly clickhouse: Finding };
  /** The offset of each partition below which nothing is known. */
  readonly unknown_before: readonly {
    readonly store: StoreName;
    readonly topic: string;
    readonly partition: number;
    readonly offset: string;
  }[];
  /** Present if profiles were compared by content. */
  readonly profiles: ProfileFinding | null;
}

export type StoreName = 'postgres' | 'clickhouse';

/** A message that is missing in a store, or is there without being in the log. Plain JSON. */
export interface NamedMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Null if the record cannot be decoded, or the log has no record there. */
  readonly project: string | null;
  readonly message_id: string | null;
  /** The internal id. */
  readonly user: string | null;
  readonly received_at: string | null;
  readonly why: string;
}

/** How many there are, and the first of them. */
export interface Finding {
  readonly count: number;
  readonly first: readonly NamedMessage[];
}

export interface ProfileFinding {
  readonly users: number;
  /**
   * Users whose profile cannot be told from the log: a copy of a message came after the window of repeats, or the
   * projector is just writing messages of theirs.
   */
  readonly undecided: number;
  readonly different: { readonly count: number; readonly first: readonly DifferentProfile[] };
}

export interface DifferentProfile {
  readonly project: string;
  readonly user: string;
  readonly why: string;
}
