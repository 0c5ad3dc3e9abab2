import type { JsonText, Micros } from '../../messages/message.ts';

/** An erasure that was asked for: of one internal id of a project, of everybody in a deleted project, or of some events. */
export interface Erasure {
  /** `erasure_` and 20 lower-case letters and digits. */
  readonly id: string;
  readonly projectId: string;
  /** The internal id, `EVERYBODY` or `SOME_EVENTS`. */
  readonly userKey: string;
  /** The erasure of the person that this anonymous id is of; null where it was asked for itself. */
  readonly cameWith: string | null;
  /** Whether later messages are dropped until that is lifted. */
  readonly suppress: boolean;
  readonly state: 'pending' | 'done';
  readonly requestedAt: Micros;
  readonly dueAt: Micros;
  /** Messages received up to then are gone; null: all are. */
  readonly cut: Micros | null;
  /** Why a pending one is held up: what the job waits for, or why the last one failed. Null where nothing is known. */
  readonly waitsBecause: string | null;
  readonly finishedAt: Micros | null;
  readonly liftedAt: Micros | null;
  /** The id of the key that asked for it, or `local`. */
  readonly actor: string;
  /** JSON of what was asked for, without values; null where people and projects are erased. */
  readonly events: JsonText | null;
  /** What was deleted, as `ErasureReport`; null while nothing was. */
  readonly report: JsonText | null;
  /** The anonymous ids that the person shared with others, by the internal ids of who is known by them alone. */
  readonly keptApart: readonly string[];
  /** The ids by which the person is looked for in texts and files; none once it is done. */
  readonly names: readonly string[];
}

/** Changes with each request and with each end. */
export type NewestErasure = Pick<Erasure, 'requestedAt' | 'state'>;

/** Rows and records that were deleted, by where they were: tables of all generations together. */
export interface ErasureReport {
  readonly postgres: Readonly<Record<string, number>>;
  readonly clickhouse: Readonly<Record<string, number>>;
  /** Uploaded files that were deleted, and refused lines of imports: of all people who were forgotten together. */
  readonly imports?: Readonly<Record<string, number>>;
  /** By topic; null where the log keeps the records. */
  readonly log: Readonly<Record<string, number>> | null;
  /** SHA-256 of the internal id: who has the id can tell that it is of this person. Left out for a project. */
  readonly user_sha256?: string;
  /** The same of the condition that events were asked for by. */
  readonly condition_sha256?: string;
  /** What was found when it ended: 0 everywhere. */
  readonly found_at_end?: { readonly postgres: number; readonly clickhouse: number };
  /** What is deleted later, and when: null where the service does not know. */
  readonly remains?: readonly { readonly what: string; readonly until: string | null }[];
}

/** A person of a request. */
export interface NewErasure {
  readonly userKey: string;
  /** The person whose anonymous id it is. */
  readonly withUser?: string;
  /** The ids by which others know the person; null where none is known. */
  readonly userId: string | null;
  readonly anonymousId: string | null;
}

export interface ErasureFilter {
  readonly projectId?: string | undefined;
  readonly state?: Erasure['state'] | undefined;
}
