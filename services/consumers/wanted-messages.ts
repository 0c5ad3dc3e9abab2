import type { Message } from '../messages/message.ts';
import {
  type ErasedUser,
  type ErasedUsers,
  erasedSince,
  isDeleted,
  isErasedEvent,
  isForgotten,
  NOBODY_ERASED,
} from '../stores/erasures/erased-users.ts';
import { type EventCuts, isGone, NO_CUTS } from '../stores/projects/kept-events.ts';

/** Which messages a consumer processes, as it is known at one time. */
export class WantedMessages {
  readonly #erased: ErasedUsers;
  readonly #projectId: string | undefined;
  readonly #cuts: EventCuts;

  private constructor(erased: ErasedUsers, projectId: string | undefined, cuts: EventCuts) {
    this.#erased = erased;
    this.#projectId = projectId;
    this.#cuts = cuts;
  }

  /**
   * @param projectId The only project whose messages are; every one by default.
   * @param cuts The events that projects no longer keep; none by default.
   * @returns Undefined where every message is wanted whole.
   */
  static of(
    erased: ErasedUsers = NOBODY_ERASED,
    projectId?: string,
    cuts: EventCuts = NO_CUTS,
  ): WantedMessages | undefined {
    const isAll = projectId === undefined && erased.size === 0 && cuts.size === 0;
    return isAll ? undefined : new WantedMessages(erased, projectId, cuts);
  }

  has(message: Pick<Message, 'projectId' | 'userKey' | 'receivedAt'>): boolean {
    return this.#isOfProject(message.projectId) && !isForgotten(this.#erased, message);
  }

  /** Whether a wanted message is kept itself: of an event that is too old, or was erased, its user alone is. */
  keeps(message: Message): boolean {
    return !isGone(this.#cuts, message) && !isErasedEvent(this.#erased, message);
  }

  hasProject(projectId: string): boolean {
    return this.#isOfProject(projectId) && !isDeleted(this.#erased, projectId);
  }

  /** The people who were forgotten, or of whom events were erased, since what was wanted was this. */
  forgottenSince(before: WantedMessages | undefined): readonly ErasedUser[] {
    return erasedSince(before === undefined ? NOBODY_ERASED : before.#erased, this.#erased);
  }

  #isOfProject(projectId: string): boolean {
    return this.#projectId === undefined || projectId === this.#projectId;
  }
}
