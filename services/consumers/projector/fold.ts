/** Messages → changes of profiles. Pure: the same set of messages always yields the same changes, in any order. */
import { splitObject } from '../../messages/json.ts';
import { MAX_TRAITS } from '../../messages/max-traits.ts';
import type { Message } from '../../messages/message.ts';
import { ownAnonymousIdOf } from '../../messages/user-key.ts';
import { anonymousIdsOf, newestAnonymousIds } from '../../stores/profiles/anonymous-ids.ts';
import { type DroppedTraits, newestTraits } from '../../stores/profiles/newest-traits.ts';
import type { ProfileChange, TraitState } from '../../stores/profiles/profile.ts';

const NO_TRAITS: ReadonlyMap<string, TraitState> = new Map();

/**
 * The change that one message makes to its user.
 *
 * @throws TidemarkError `MESSAGE_UNDECODABLE` if its traits are not a JSON object.
 */
export function changeOf(message: Message): ProfileChange {
  const { projectId, userKey, userId, timestamp, version } = message;
  return {
    projectId,
    userKey,
    userId,
    anonymousId: ownAnonymousIdOf(message),
    anonymousIds: anonymousIdsOf(message),
    firstSeen: timestamp,
    lastSeen: timestamp,
    anonymous: message.type === 'session' ? { value: message.anonymous, version } : null,
    traits: message.type === 'track' ? NO_TRAITS : traitStatesOf(message),
  };
}

export interface FoldOptions {
  /** How many traits of a user are kept, the newest first. */
  readonly maxTraits?: number;
  /** Called for each user some of whose traits were dropped. */
  readonly onDropped?: (dropped: DroppedTraits) => void;
}

/** One change for each user, of any number of changes. */
export function fold(changes: Iterable<ProfileChange>, options: FoldOptions = {}): readonly ProfileChange[] {
  const byUser = new Map<string, ProfileChange[]>();
  for (const change of changes) {
    const user = `${change.projectId}/${change.userKey}`;
    const others = byUser.get(user);
    if (others) others.push(change);
    else byUser.set(user, [change]);
  }
  return [...byUser.values()].map((ofUser) => mergeChanges(ofUser, options));
}

/** Merges at least one change of one user. Commutative, associative and idempotent. */
export function mergeChanges(changes: readonly ProfileChange[], options: FoldOptions = {}): ProfileChange {
  const [first, ...others] = changes;
  if (first === undefined) throw new Error('nothing to merge');
  const { maxTraits = MAX_TRAITS } = options;
  if (others.length === 0 && first.traits.size <= maxTraits) return first;
  return {
    projectId: first.projectId,
    userKey: first.userKey,
    userId: changes.map(({ userId }) => userId).reduce(highest),
    anonymousId: changes.map(({ anonymousId }) => anonymousId).reduce(highest),
    anonymousIds: newestAnonymousIds(changes.map(({ anonymousIds }) => anonymousIds)),
    firstSeen: changes.map(({ firstSeen }) => firstSeen).reduce((a, b) => (b < a ? b : a)),
    lastSeen: changes.map(({ lastSeen }) => lastSeen).reduce((a, b) => (b > a ? b : a)),
    anonymous: changes.map(({ anonymous }) => anonymous).reduce(newer),
    traits: mergeTraits(changes, maxTraits, (traits) => {
      options.onDropped?.({ projectId: first.projectId, userKey: first.userKey, traits });
    }),
  };
}

function traitStatesOf({ traits, version }: Exclude<Message, { type: 'track' }>): ReadonlyMap<string, TraitState> {
  const states = new Map<string, TraitState>();
  for (const [trait, value] of splitObject(traits)) {
    states.set(trait, { value: value === 'null' ? null : value, version });
  }
  return states;
}

/** Has at most three times as many traits in memory as it keeps; sorts each of them at most twice. */
function mergeTraits(
  changes: readonly ProfileChange[],
  most: number,
  onDropped: (traits: number) => void,
): ReadonlyMap<string, TraitState> {
  if (changes.every(({ traits }) => traits.size === 0)) return NO_TRAITS;
  let merged = new Map<string, TraitState>();
  let dropped = 0;
  const trim = (): void => {
    const { size } = merged;
    merged = new Map(newestTraits(merged, most));
    dropped += size - merged.size;
  };
  for (const { traits } of changes) {
    for (const [trait, state] of traits) {
      const known = merged.get(trait);
      if (known === undefined || state.version > known.version) merged.set(trait, state);
      if (merged.size >= 3 * most) trim();
    }
  }
  if (merged.size > most) trim();
  if (dropped > 0) onDropped(dropped);
  return merged;
}

/** A user has one id. If there ever were two, both stores would keep the higher. */
function highest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return b > a ? b : a;
}

function newer<T extends { readonly version: string }>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b;
  return b.version > a.version ? b : a;
}
