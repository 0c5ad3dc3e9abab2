/** A user by every id that is known. */
export interface KnownIds {
  /** The caller's id; null if it is not known. */
  readonly userId: string | null;
  /** The anonymous id of a user who is known by it alone; null for others. */
  readonly anonymousId: string | null;
  /** The internal id. */
  readonly userKey: string;
}

/** From columns, where an id that is not known is ''. */
export function knownIds(userKey: string, userId: string, anonymousId: string): KnownIds {
  return { userId: userId === '' ? null : userId, anonymousId: anonymousId === '' ? null : anonymousId, userKey };
}
