/** What is kept, in the database of the audiences, of how far live audiences are. */
import type { Micros } from '../../messages/message.ts';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';

/** What a tick changes of one audience. */
export interface LiveCounts {
  readonly audienceId: string;
  /** The definition's. */
  readonly version: number;
  readonly entered: number;
  readonly left: number;
}

/** A live audience as it is saved now. */
export interface LiveAudienceRow {
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
  /** The project's. */
  readonly timezone: string;
}

/** What is thrown where somebody else has the open epoch. */
export function overtaken(): TidemarkError {
  return new TidemarkError('AUDIENCE_BUSY', 'another process follows the audiences');
}

/** Every method throws TidemarkError `STORE_UNAVAILABLE`, retryable, while the database cannot be reached. */
export interface LiveStore {
  /**
   * Opens an epoch, and holds it for a while: nobody else opens one until then, unless by force. Every live audience is due, to
   * be evaluated.
   *
   * @param byForce Whoever holds another epoch loses it.
   * @throws TidemarkError `AUDIENCE_BUSY` while another process holds one.
   */
  open(byForce: boolean): Promise<LiveEpoch>;
  /** Holds the open epoch for a while longer. Returns false if it is closed. */
  renew(epoch: bigint): Promise<boolean>;
  /** Anybody may open another epoch from now on. */
  release(epoch: bigint): Promise<void>;
  /**
   * Closes an epoch in which it is in doubt what counts, and opens another instead. Resolves with the new one, and with
   * where the closed one ends. Audiences that follow go on to.
   *
   * @throws TidemarkError `AUDIENCE_BUSY` if somebody else has opened an epoch since.
   */
  reopen(epoch: bigint): Promise<LiveEpoch>;
  /** The time of the database's clock, later than this. */
  now(after: Micros): Promise<Micros>;
  /**
   * Makes the changes of the epoch count up to this instant, together with what they change of the audiences. Returns false,
   * and changes nothing, if the epoch is closed.
   */
  advance(epoch: bigint, at: Micros, counts: readonly LiveCounts[]): Promise<boolean>;
  /**
   * The audience was evaluated and follows from now on: it is not due while it has this version of its definition. Returns
   * false, and changes nothing, if the epoch is closed.
   */
  follow(id: string, version: number, epoch: bigint): Promise<boolean>;
  /**
   * The audience is from now on as far as the epoch is. Returns false where it is not live any more, has another version, or
   * is being evaluated, or where the epoch is closed.
   */
  join(id: string, version: number, epoch: bigint): Promise<boolean>;
  /**
   * These audiences are to be evaluated after this time, and are no longer as far as the epoch.
   *
   * @param failure What kept them from following; null: nothing did.
   */
  makeDue(ids: readonly string[], afterMs: number, failure?: ErrorCode | null): Promise<void>;
  list(): Promise<readonly LiveAudienceRow[]>;
  /** Epochs that were closed this time ago or longer, the oldest first. */
  closedEpochs(closedForMs: number): Promise<readonly LiveEpoch[]>;
  /** Deletes the epochs before this closed one: their changes count as its own do. */
  fold(into: bigint): Promise<void>;
}
