import { positionAfter } from '../../event-log/identity.ts';
import type { PartitionRecords, Position, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { DroppedTraits } from '../../stores/profiles/newest-traits.ts';
import { byUser, type ProfileChange } from '../../stores/profiles/profile.ts';
import type { AppliedCount, Claim, ReaderStep } from '../../stores/profiles/profile-store.ts';
import type { Unprocessable } from '../dead-letters.ts';
import type { DecodedBatch } from '../decode-batch.ts';
import type { WantedMessages } from '../wanted-messages.ts';
import { AppliedCounts } from './applied-counts.ts';
import { appliedMessages, changesOfFirstCopies, type Contribution } from './contribution.ts';
import { Folding } from './fold.ts';

/** How large the batches are that catch up, and the transactions that write them. */
export interface LargeBatchLimits {
  // What a large batch contains at most, give or take one poll. The first three bound its memory, and `claims` what its last transaction
  // enters.
  readonly users: number;
  readonly traits: number;
  /** Bytes of messages with traits, and of those that go to the dead letters. */
  readonly bytes: number;
  readonly claims: number;
  readonly records: number;
  /** How long a message waits to be written where the log is read slowly. */
  readonly ageMs: number;
  // What one transaction writes. It keeps readers of an embedded database waiting.
  readonly sliceUsers: number;
  /** Length of the statements that set traits. */
  readonly sliceChars: number;
}

export const LARGE_BATCH_LIMITS: LargeBatchLimits = {
  users: 60_000,
  traits: 120_000,
  bytes: 16 * 1024 * 1024,
  claims: 10_000,
  records: 1_000_000,
  ageMs: 10_000,
  sliceUsers: 2_000,
  sliceChars: 2 * 1024 * 1024,
};

/** Any number of messages, folded as they come, and what is to be stored with their profiles. */
export class LargeBatch {
  /** What was wanted when it was begun. */
  wanted: WantedMessages | undefined;
  readonly #most: LargeBatchLimits;
  readonly #begunAt = performance.now();
  readonly #dropped: DroppedTraits[] = [];
  readonly #folding = new Folding({ onDropped: (one) => void this.#dropped.push(one) });
  readonly #counts = new AppliedCounts();
  readonly #steps = new Map<string, ReaderStep>();
  readonly #claims: Claim[] = [];
  readonly #isFirstCopy: boolean[] = [];
  readonly #identities = new Set<string>();
  readonly #unprocessable: Unprocessable[] = [];
  #records = 0;
  #messages = 0;
  #bytes = 0;

  constructor(most: LargeBatchLimits = LARGE_BATCH_LIMITS) {
    this.#most = most;
  }

  get records(): number {
    return this.#records;
  }

  get messages(): number {
    return this.#messages;
  }

  get steps(): readonly ReaderStep[] {
    if (this.#unprocessable.length === 0) return [...this.#steps.values()];
    const unstored = Map.groupBy(this.#unprocessable, nameOf);
    return [...this.#steps].map(([name, step]) => ({
      ...step,
      unstored: (unstored.get(name) ?? []).map(({ record }) => record.offset),
    }));
  }

  get claims(): readonly Claim[] {
    return this.#claims;
  }

  /** One for each claim, in order. */
  get isFirstCopy(): readonly boolean[] {
    return this.#isFirstCopy;
  }

  get unprocessable(): readonly Unprocessable[] {
    return this.#unprocessable;
  }

  /** Complete once `slices` has been called. */
  get dropped(): readonly DroppedTraits[] {
    return this.#dropped;
  }

  get isFull(): boolean {
    const most = this.#most;
    return (
      this.#folding.users >= most.users ||
      this.#folding.traits >= most.traits ||
      this.#bytes >= most.bytes ||
      this.#claims.length >= most.claims ||
      this.#records >= most.records ||
      (this.#records > 0 && performance.now() - this.#begunAt >= most.ageMs)
    );
  }

  counts(): readonly AppliedCount[] {
    return this.#counts.list();
  }

  /** Where it ends in a partition; undefined if it has no record of it. */
  endIn(partition: TopicPartition): Position | undefined {
    return this.#steps.get(nameOf(partition))?.to;
  }

  /** Whether it has a copy of the message of this claim. */
  hasCopyOf(claim: Claim): boolean {
    return this.#identities.has(claimIdentity(claim));
  }

  /**
   * @param from Where each partition of the batch begins.
   * @param areKnown Whether a copy of each claim's message was read before this large batch, in the claims' order.
   */
  add(
    batch: readonly PartitionRecords[],
    { decoded, unprocessable }: DecodedBatch<Contribution>,
    from: (partition: TopicPartition) => Position,
    areKnown: readonly boolean[],
  ): void {
    for (const partition of batch) this.#move(partition, from);
    const claims = decoded.flatMap(({ claim }) => claim ?? []);
    const isFirstCopy = claims.map((claim, index) => this.#claim(claim, areKnown[index] === true));
    for (const change of changesOfFirstCopies(decoded, isFirstCopy)) this.#folding.add(change);
    for (const message of appliedMessages(decoded, isFirstCopy)) this.#counts.add(message);
    // The texts of the traits that are held are parts of these.
    for (const { content, record } of decoded) if (content.change.traits.size > 0) this.#bytes += record.value.length;
    for (const { record } of unprocessable) this.#bytes += record.value.length;
    this.#unprocessable.push(...unprocessable);
    this.#messages += decoded.length;
  }

  /**
   * The changes in the order of their keys, so that each transaction writes neighbours. Nothing may be added afterwards.
   *
   * @param share How much of a limit the next slice may have.
   */
  *slices(share: (limit: number) => number = (limit) => limit): Generator<readonly ProfileChange[]> {
    const { sliceUsers, sliceChars } = this.#most;
    let slice: ProfileChange[] = [];
    let chars = 0;
    for (const change of this.#folding.changes().toSorted(byUser)) {
      const added = charsOf(change);
      if (slice.length >= share(sliceUsers) || (slice.length > 0 && chars + added > share(sliceChars))) {
        yield slice;
        [slice, chars] = [[], 0];
      }
      slice.push(change);
      chars += added;
    }
    if (slice.length > 0) yield slice;
  }

  #move(partition: PartitionRecords, from: (partition: TopicPartition) => Position): void {
    const { records } = partition;
    const last = records.at(-1);
    if (last === undefined) return;
    const name = nameOf(partition);
    const before = this.#steps.get(name)?.from ?? from(partition);
    this.#steps.set(name, { from: before, to: positionAfter(partition, last) });
    this.#records += records.length;
  }

  #claim(claim: Claim, isKnown: boolean): boolean {
    const isFirst = !isKnown && !this.hasCopyOf(claim);
    this.#claims.push(claim);
    this.#isFirstCopy.push(isFirst);
    this.#identities.add(claimIdentity(claim));
    return isFirst;
  }
}

/** Identifies the claimed message. The caller's id may contain slashes, so it comes last. */
export function claimIdentity({ projectId, topic, userKey, messageId }: Claim): string {
  return `${projectId}/${topic}/${userKey}/${messageId}`;
}

/** What a trait takes in a statement beside its name and value. */
const CHARS_A_VERSION = 40;

/** About how many characters its traits take in a statement. */
export function charsOf({ traits }: ProfileChange): number {
  let chars = 0;
  for (const [trait, { value }] of traits) chars += 2 * trait.length + (value?.length ?? 0) + CHARS_A_VERSION;
  return chars;
}
