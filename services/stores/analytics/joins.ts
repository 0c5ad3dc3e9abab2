/** Whose anonymous ids are: what is asked and told of it. Plain data. */

/** Which ids are asked about: the numbers of the users who are known by them alone. */
export interface JoinsQuestion {
  readonly projectId: string;
  readonly anonymous: readonly string[];
  /** What was decided of some of these ids, and is to be noted before. */
  readonly decisions?: readonly DecidedJoin[];
  /** How many sightings of a user count. */
  readonly most?: number;
}

/** What is said of an anonymous id, by numbers of users; `person` 0 unless it is joined. */
export interface DecidedJoin {
  readonly user: string;
  readonly says: string;
  readonly person: string;
  readonly number: bigint;
}

/** Why a user may enter or leave audiences where whose an anonymous id is has changed. */
export interface JoinChange {
  readonly cause: 'joined' | 'parted';
  /** The internal id of the user whose the anonymous id is, or was. */
  readonly person: string;
}

/** A user whom it may concern whose anonymous ids are. */
export interface ConcernedUser {
  /** The internal id. */
  readonly userKey: string;
  /** Null where nothing has changed, or it is not known: what was kept before a crash is kept again. */
  readonly joinChange: JoinChange | null;
}
