import type { JsonText, Micros } from '../../messages/message.ts';

/** A trait as the newest message that mentions it left it. Pure data. */
export interface TraitState {
  /** The JSON text of the value, digits untouched; null: deleted, and remembered so. */
  readonly value: JsonText | null;
  /** The version of that message: 32 hexadecimal digits, compared as a string. */
  readonly version: string;
}

/** Anonymous id → the version of the first message that gave it beside the user id. */
export type Sightings = ReadonlyMap<string, string>;

/**
 * What a set of messages of one user says, to be merged into what the store holds. Merging is commutative,
 * associative and idempotent: trait by trait the higher version wins, times widen, a user id once known stays.
 */
export interface ProfileChange {
  readonly projectId: string;
  readonly userKey: string;
  readonly userId: string | null;
  /** The anonymous id that the user is known by; null where a user id or an internal id names the user. */
  readonly anonymousId: string | null;
  /** The first `MAX_SIGHTINGS` at most. */
  readonly sightings: Sightings;
  /** Lowest and highest `timestamp` of any message. */
  readonly firstSeen: Micros;
  readonly lastSeen: Micros;
  /** The value of the newest session message, null where there is none. */
  readonly anonymous: { readonly value: boolean; readonly version: string } | null;
  readonly traits: ReadonlyMap<string, TraitState>;
}

/** One order everywhere: two projectors may write the same user at once, and must not deadlock. */
export function byUser(a: ProfileChange, b: ProfileChange): number {
  if (a.projectId !== b.projectId) return a.projectId < b.projectId ? -1 : 1;
  return a.userKey < b.userKey ? -1 : 1;
}

/** A profile as it is read back. */
export interface Profile {
  readonly projectId: string;
  readonly userKey: string;
  readonly userId: string | null;
  readonly anonymous: boolean | null;
  /** The anonymous id that the user is known by or, beside a user id, those seen with it: the one first seen last comes first. */
  readonly anonymousIds: readonly string[];
  /** One JSON object: the traits that are set, each value as it was sent. */
  readonly traits: JsonText;
  /** The anonymous ids that are this user's alone, the one first seen first; null where the project does not join ids. */
  readonly joinedIds: readonly JoinedId[] | null;
  readonly firstSeen: Micros;
  readonly lastSeen: Micros;
}

export interface JoinedId {
  readonly anonymousId: string;
  /** The internal id of who is known by it alone. */
  readonly userKey: string;
  /** When a message first gave both ids; null where that is not known, or it was joined by hand. */
  readonly since: Micros | null;
}

/** A profile with what is stored beside it. */
export interface WholeProfile extends Profile {
  /** One JSON object: trait → version of the newest message that mentions it, those that are deleted included. */
  readonly versions: JsonText;
  /** The anonymous ids that came beside the user id, as above, each with when it first did: none where one names the user. */
  readonly seenWith: readonly { readonly anonymousId: string; readonly firstSeen: Micros | null }[];
}

/** The members that lead into a trait: its name, then that of a member of its object, or a place in its list. Empty: all traits. */
export type TraitPath = readonly string[];

/** The JSON text at each of several paths, every digit kept; null where there is nothing. */
export type TraitValues = readonly (JsonText | null)[];
