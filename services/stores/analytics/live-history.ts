/** What live audiences write of their members. As `AudienceHistory`, it cannot be made again. */
import type { Micros } from '../../messages/message.ts';
import type { JoinChange } from './joins.ts';

/**
 * Up to when the changes that one holder of a lease wrote count, by its epoch: from 1, each epoch once, and each ends no
 * earlier than the one before. Later changes of the epoch are not decided yet or, where it is over, came too late. Among
 * several, changes of an epoch that is left out count up to where the next one does: those that never count were removed.
 */
export interface LiveEpoch {
  readonly epoch: bigint;
  readonly through: Micros;
}

/** A user who entered or left a live audience. */
export interface LiveChange {
  readonly projectId: string;
  readonly audienceId: string;
  /** The definition's. */
  readonly version: number;
  readonly epoch: bigint;
  /** Later than that of any change of the audience before. */
  readonly at: Micros;
  readonly userKey: string;
  /** As they are known now. */
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly change: 'entered' | 'left';
  /** `live`: by a message or by time; else because whose an anonymous id is has changed. */
  readonly cause: 'live' | JoinChange['cause'];
  /** That of the `JoinChange`; null where the cause is `live`. */
  readonly person: string | null;
}

/**
 * A tick writes in three steps, each of which may be repeated:
 *
 * 1. `writeChanges`: nobody sees them yet.
 * 2. The caller notes durably that the epoch counts through the time of the tick. A question with that epoch
 *    (`ChangesQuery.epochs`) finds them.
 * 3. `writeMembers`: the next `difference` and the next tick go by them.
 *
 * What an epoch wrote later than its end never counts. Where a crash came before the third step, `AudienceHistory.finalize`
 * of an evaluation at the time of the tick does it.
 */
export interface LiveHistory {
  /** @throws TidemarkError `STORE_UNAVAILABLE`, `STOPPING`, as all of these. */
  writeChanges(changes: readonly LiveChange[]): Promise<void>;
  writeMembers(changes: readonly LiveChange[]): Promise<void>;
  /**
   * Removes the changes that never count of epochs that are over, up to the last of these. Afterwards all but the last may be
   * left out wherever epochs are named.
   */
  dropUncounted(closed: readonly LiveEpoch[]): Promise<void>;
}
