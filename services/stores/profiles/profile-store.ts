import type { Position, TopicPartition } from '../../event-log/event-log.ts';
import type { Hour } from '../../messages/day-and-hour.ts';
import type { RecordCoordinates } from '../analytics/columns.ts';
import type { Profile, ProfileChange, TraitPath, TraitValues, WholeProfile } from './profile.ts';

/** The two readers of the log that keep positions. */
export type ReaderName = 'projector' | 'sink';

/**
 * A message that sets traits and whose id the caller gave: the first of its identity counts, whatever a later copy
 * says. The identity is (projectId, topic, userKey, messageId), its place (partition, offset).
 */
export interface Claim extends TopicPartition {
  readonly projectId: string;
  readonly userKey: string;
  readonly messageId: string;
  readonly offset: bigint;
  /** When the log stored it: it is remembered from then on at least, whatever the clock of the store says. */
  readonly appendedAtMs: number;
}

/** A step of a reader over one partition: from its position to its next one. */
export interface ReaderStep {
  readonly from: Position;
  readonly to: Position;
  /** Offsets between them of which nothing is stored; none by default. */
  readonly unstored?: readonly bigint[];
}

/** How many messages of a partition that are of a project and arrived within an hour were applied. */
export interface AppliedCount extends TopicPartition {
  readonly projectId: string;
  readonly hour: Hour;
  /** That count. */
  readonly messages: number;
  /** Repeats of earlier messages: passed, and left out. */
  readonly repeats: number;
}

/** What others may read of profiles. Every member's arguments and results can be cloned between threads. */
export interface ProfileReader {
  /** @throws TidemarkError `STORE_UNAVAILABLE`, retryable. */
  find(projectId: string, userKey: string): Promise<Profile | undefined>;
  /**
   * The profile of each of these users, in order; undefined for a user who has none. Ends early once the traits of those
   * that it returns have `maxChars` characters or more, so that a page of wide profiles is short.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  findPage(projectId: string, userKeys: readonly string[], maxChars: number): Promise<readonly (Profile | undefined)[]>;
  /**
   * What these users have at each path, users and paths in order. A user without a profile has nothing. Ends early as
   * `findPage` does, by the characters of what it returns.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  traitsPage(
    projectId: string,
    userKeys: readonly string[],
    paths: readonly TraitPath[],
    maxChars: number,
  ): Promise<readonly TraitValues[]>;
  /** @throws TidemarkError `STORE_UNAVAILABLE`, retryable. */
  findWhole(projectId: string, userKey: string): Promise<WholeProfile | undefined>;
  /**
   * The internal ids of users with a user id beside which this anonymous id was seen, those above `after`, ascending.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  seenWith(projectId: string, anonymousId: string, after: string, limit: number): Promise<readonly string[]>;
}

/** The projector's store: profiles and the projector's positions, moved together. */
export interface ProfileStore extends ProfileReader {
  /** The projector's positions; partitions never written are left out. */
  positions(partitions: readonly TopicPartition[]): Promise<readonly Position[]>;
  /**
   * One transaction: moves every step's position, enters the claims (insert or leave), asks `fold` for the changes
   * given which claims count (same order as `claims`), merges them; adds what `tally` counts of the same messages, to
   * be held against the log; records what the steps say of messages that are not stored. Both are pure and may be called again. A repeat of the whole call is refused by the
   * positions; merging itself is idempotent.
   *
   * @throws TidemarkError `POSITION_MOVED` where a partition's position is not `from`: nothing is written.
   */
  write(
    steps: readonly ReaderStep[],
    claims: readonly Claim[],
    fold: (counts: readonly boolean[]) => readonly ProfileChange[],
    tally?: (counts: readonly boolean[]) => readonly AppliedCount[],
  ): Promise<void>;
  /** Whether another copy of each claim's message counts, in order. Enters nothing. */
  areRepeats(claims: readonly Claim[]): Promise<readonly boolean[]>;
  /**
   * Notes that profiles may be ahead of the positions, up to the ends of these steps: to be called before `merge` of what
   * lies between, so that nobody takes it for an error meanwhile.
   *
   * @throws TidemarkError `POSITION_MOVED` as `write`: nothing is written.
   */
  noteAhead(steps: readonly ReaderStep[]): Promise<void>;
  /**
   * One transaction: merges these changes, at most one for each user, and moves no position. `write` of the steps from
   * which they come, with no changes, follows; until then they are merged again after a crash, to the same profiles.
   */
  merge(changes: readonly ProfileChange[]): Promise<void>;
  /**
   * `merge` of changes that come from messages before these ends, whatever the positions are, with the note that profiles may
   * be ahead up to there. Their messages are merged again once the positions move past them.
   */
  mergeAhead(
    ends: readonly (TopicPartition & { readonly offset: bigint })[],
    changes: readonly ProfileChange[],
  ): Promise<void>;
  /**
   * Does what `write` does with these steps and two messages of a made-up user, and takes it back: resolves where the
   * store takes that now. It fails as `write` does.
   */
  probe(steps: readonly ReaderStep[]): Promise<void>;
  /**
   * Forgets claims, of either reader, entered longer ago than `windowMs`: a repeat that comes later counts again.
   * Returns how many.
   *
   * @param readAtMs When the log stored the newest record that was read: a later clock of the store is not believed.
   */
  forgetRepeats(windowMs: number, readAtMs: number): Promise<number>;
}

/** A range of one partition that one insert covers; fixed before the insert, so that a crash repeats the same one. */
export interface Plan extends ReaderStep {
  /** Whether the insert is known to have been done. */
  readonly inserted: boolean;
}

/** The sink's plans: its position and the range of its next insert, a row per partition. */
export interface SinkPlans {
  /** The last plan of each partition; partitions never planned are left out. */
  last(partitions: readonly TopicPartition[]): Promise<readonly Plan[]>;
  /**
   * One transaction: replaces each partition's last plan (which must be inserted and end at `from`, or not exist where
   * `from` is the beginning) by this step, not yet inserted; enters the claims; says which count.
   *
   * @throws TidemarkError `POSITION_MOVED`: nothing is written.
   */
  fix(steps: readonly ReaderStep[], claims: readonly Claim[]): Promise<readonly boolean[]>;
  /** Which of these claims count, entering those that are new: for a plan that is inserted again after a crash. */
  claim(claims: readonly Claim[]): Promise<readonly boolean[]>;
  /**
   * Takes back those of these claims that count: their messages became dead letters. A copy that is appended later then
   * counts. Call it before the plan is finished. May be repeated.
   */
  release(claims: readonly Claim[]): Promise<void>;
  /**
   * Marks the last plans, which end at these positions, as inserted, and records which of their messages are not.
   *
   * @throws TidemarkError `POSITION_MOVED`.
   */
  finish(ends: readonly Position[], unstored?: readonly RecordCoordinates[]): Promise<void>;
  /**
   * Sets a partition's plan to "inserted up to `to`" although it was further: analytics was found to have less (a
   * restored backup, a power cut). @param logEnd Up to there, analytics is behind what it had.
   *
   * @throws TidemarkError `POSITION_MOVED` where it does not stand at `from`.
   */
  rewind(from: Position, to: Position, logEnd: bigint): Promise<void>;
}

/** How far both readers have come: what a receipt is held against. Positions of partitions never read are left out. */
export interface ReaderProgress {
  progress(): Promise<{ readonly projector: readonly Position[]; readonly sink: readonly Position[] }>;
}
