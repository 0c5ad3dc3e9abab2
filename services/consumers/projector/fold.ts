/** Messages → changes of profiles. Pure: the same set of messages always yields the same changes, in any order. */
import { splitObject } from '../../messages/json.ts';
import { MAX_TRAITS, type Message } from '../../messages/message.ts';
import { ownAnonymousIdOf } from '../../messages/user-key.ts';
import { type DroppedTraits, newestTraits } from '../../stores/profiles/newest-traits.ts';
import type { ProfileChange, TraitState } from '../../stores/profiles/profile.ts';
import { firstSightings, sightingsIn } from '../../stores/profiles/sightings.ts';

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
    sightings: sightingsIn(message),
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
  const folding = new Folding(options);
  for (const change of changes) folding.add(change);
  return folding.changes();
}

/** Merges at least one change of one user. Commutative, associative and idempotent. */
export function mergeChanges(changes: readonly ProfileChange[], options: FoldOptions = {}): ProfileChange {
  const [merged] = fold(changes, options);
  if (merged === undefined) throw new Error('nothing to merge');
  return merged;
}

/** Folds changes as they come: holds one for each user, however many there are. */
export class Folding {
  readonly #options: FoldOptions;
  readonly #maxTraits: number;
  readonly #projects = new Map<string, Map<string, MergedChange>>();
  #users = 0;
  #traits = 0;

  constructor(options: FoldOptions = {}) {
    this.#options = options;
    this.#maxTraits = options.maxTraits ?? MAX_TRAITS;
  }

  /** How many users it holds. */
  get users(): number {
    return this.#users;
  }

  /** How many traits of them it holds. */
  get traits(): number {
    return this.#traits;
  }

  add(change: ProfileChange): void {
    let users = this.#projects.get(change.projectId);
    if (users === undefined) this.#projects.set(change.projectId, (users = new Map<string, MergedChange>()));
    const merged = users.get(change.userKey);
    if (merged === undefined) {
      users.set(change.userKey, new MergedChange(change));
      this.#users++;
      this.#traits += change.traits.size;
    } else {
      const before = merged.change.traits.size;
      merged.add(change, this.#maxTraits);
      this.#traits += merged.change.traits.size - before;
    }
  }

  /** In the order in which the users came first. Nothing may be added afterwards. */
  changes(): readonly ProfileChange[] {
    const { onDropped } = this.#options;
    const changes: ProfileChange[] = [];
    for (const users of this.#projects.values()) {
      for (const merged of users.values()) {
        const dropped = merged.trim(this.#maxTraits);
        const { change } = merged;
        changes.push(change);
        if (dropped > 0) onDropped?.({ projectId: change.projectId, userKey: change.userKey, traits: dropped });
      }
    }
    return changes;
  }
}

type MutableChange = { -readonly [Name in keyof ProfileChange]: ProfileChange[Name] };

/** Changes of one user, merged one after another. */
class MergedChange {
  /** The first one itself while there is no other. */
  change: ProfileChange;
  #own: MutableChange | undefined;
  #ownTraits: Map<string, TraitState> | undefined;
  #dropped = 0;

  constructor(first: ProfileChange) {
    this.change = first;
  }

  add(other: ProfileChange, maxTraits: number): void {
    if (this.#own === undefined) this.change = this.#own = { ...this.change };
    const own = this.#own;
    own.userId = highest(own.userId, other.userId);
    own.anonymousId = highest(own.anonymousId, other.anonymousId);
    if (other.sightings.size > 0) own.sightings = firstSightings([own.sightings, other.sightings]);
    if (other.firstSeen < own.firstSeen) own.firstSeen = other.firstSeen;
    if (other.lastSeen > own.lastSeen) own.lastSeen = other.lastSeen;
    own.anonymous = newer(own.anonymous, other.anonymous);
    if (other.traits.size > 0) this.#addTraits(own, other.traits, maxTraits);
  }

  /** Has at most three times as many traits in memory as it keeps; sorts each of them at most twice. */
  #addTraits(own: MutableChange, traits: ReadonlyMap<string, TraitState>, maxTraits: number): void {
    if (own.traits.size === 0 && traits.size < 3 * maxTraits) {
      own.traits = traits;
      this.#ownTraits = undefined;
      return;
    }
    let merged = (this.#ownTraits ??= new Map(own.traits));
    own.traits = merged;
    for (const [trait, state] of traits) {
      const known = merged.get(trait);
      if (known === undefined || state.version > known.version) merged.set(trait, state);
      if (merged.size < 3 * maxTraits) continue;
      this.#keepNewest(own, maxTraits);
      merged = this.#ownTraits = new Map(own.traits);
      own.traits = merged;
    }
  }

  /** Drops the oldest traits of those that are too many. Returns how many were dropped since the first change. */
  trim(maxTraits: number): number {
    if (this.change.traits.size > maxTraits) {
      if (this.#own === undefined) this.change = this.#own = { ...this.change };
      this.#keepNewest(this.#own, maxTraits);
    }
    return this.#dropped;
  }

  #keepNewest(own: MutableChange, maxTraits: number): void {
    const kept = newestTraits(own.traits, maxTraits);
    this.#dropped += own.traits.size - kept.size;
    own.traits = kept;
    this.#ownTraits = undefined;
  }
}

function traitStatesOf({ traits, version }: Exclude<Message, { type: 'track' }>): ReadonlyMap<string, TraitState> {
  const states = new Map<string, TraitState>();
  for (const [trait, value] of splitObject(traits)) {
    states.set(trait, { value: value === 'null' ? null : value, version });
  }
  return states;
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
