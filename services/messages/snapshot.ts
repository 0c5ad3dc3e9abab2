/** What messages came to, as records of the log: they take the place of messages that are deleted. */
import type { JsonText, Micros } from './message.ts';

/** What messages of one user came to, or a part of that: parts are merged as messages are, in any order. */
export interface UserSnapshot {
  readonly projectId: string;
  /** The internal id. */
  readonly userKey: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly firstSeen: Micros;
  readonly lastSeen: Micros;
  /** Before the profile was read: an erasure that is asked for later reaches it. */
  readonly readAt: Micros;
  readonly anonymous: { readonly value: boolean; readonly version: string } | null;
  readonly sightings: readonly { readonly id: string; readonly version: string }[];
  readonly traits: readonly SnapshotTrait[];
}

export interface SnapshotTrait {
  readonly name: string;
  /** Null: deleted. */
  readonly value: JsonText | null;
  readonly version: string;
}

/** The last record of a partition: the users there have every message before these offsets. */
export interface SnapshotEnd {
  readonly readAt: Micros;
  readonly upTo: readonly { readonly topic: string; readonly partition: number; readonly offset: bigint }[];
}

export function isSnapshotEnd(record: UserSnapshot | SnapshotEnd): record is SnapshotEnd {
  return !('userKey' in record);
}

/** A record takes at most about this: logs refuse much larger ones. */
const MOST_CHARS = 400_000;

/** In as many parts as it needs. Each has whatever is not a list. */
export function snapshotParts(whole: UserSnapshot): readonly UserSnapshot[] {
  const parts: UserSnapshot[] = [];
  let traits: SnapshotTrait[] = [];
  let chars = 0;
  const close = (): void => {
    parts.push({ ...whole, traits, ...(parts.length > 0 && { sightings: [] }) });
    [traits, chars] = [[], 0];
  };
  for (const trait of whole.traits) {
    const size = trait.name.length + (trait.value?.length ?? 0) + 40;
    if (traits.length > 0 && chars + size > MOST_CHARS) close();
    traits.push(trait);
    chars += size;
  }
  close();
  return parts;
}
