import type { Micros } from '../../messages/message.ts';
import type { Audience } from '../definition/audience.ts';
import type { SavedAudience } from './audience-store.ts';

/** What an audience was evaluated by. */
export interface EvaluatedBy {
  readonly definition: Audience;
  readonly version: number;
  /** The project's. */
  readonly timezone: string;
  /** Whether the project joins ids. */
  readonly joins: boolean;
  /** The instant before which events of the project are deleted; null where none are. */
  readonly eventsFrom: Micros | null;
}

/** Somebody who changes who is in live audiences between their evaluations, and never while one is evaluated. */
export interface AudienceFollower {
  /** Whose changes count; 0 while another process follows the audiences, or nobody yet. */
  readonly epoch: bigint;
  /**
   * Before an audience is evaluated or deleted: changes nothing of it from then on, and remembers what is inserted if it is
   * to go on. Resolves with the time of the last change; the evaluation must be later.
   *
   * @throws TidemarkError `AUDIENCE_BUSY` if another process follows a live audience meanwhile.
   */
  hold(audience: SavedAudience, isDeleted: boolean): Promise<Micros>;
  /** Goes on from an evaluation at this instant. @throws TidemarkError `AUDIENCE_BUSY`, as `hold`. */
  follow(audience: SavedAudience, by: EvaluatedBy, at: Micros): Promise<void>;
  /** The evaluation failed: the next one holds it again. */
  leave(id: string): void;
}

/** Where other processes follow the audiences, and never this one. */
export const FOLLOWED_ELSEWHERE: AudienceFollower = {
  epoch: 0n,
  hold: () => Promise.resolve(0n),
  follow: () => Promise.resolve(),
  leave: () => undefined,
};
