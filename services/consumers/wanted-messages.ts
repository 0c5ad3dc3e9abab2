import type { Message } from '../messages/message.ts';
import {
  type ErasedUser,
  type ErasedUsers,
  erasedSince,
  isDeleted,
  isForgotten,
  NOBODY_ERASED,
} from '../stores/erasures/erased-users.ts';

/** Which messages a consumer processes, as it is known at one time. */
export class WantedMessages {
  readonly #erased: ErasedUsers;
  readonly #projectId: string | undefined;

  private constructor(erased: ErasedUsers, projectId: string | undefined) {
    this.#erased = erased;
    this.#projectId = projectId;
  }

  /**
   * @param projectId The only project whose messages are; every one by default.
   * @returns Undefined where every message is wanted.
   */
  static of(erased: ErasedUsers = NOBODY_ERASED, projectId?: string): WantedMessages | undefined {
    const isAll = projectId === undefined && erased.size === 0;
    return isAll ? undefined : new WantedMessages(erased, projectId);
  }

  has(message: Pick<Message, 'projectId' | 'userKey' | 'receivedAt'>): boolean {
    return this.#isOfProject(message.projectId) && !isForgotten(this.#erased, message);
  }

  hasProject(projectId: string): boolean {
    return this.#isOfProject(projectId) && !isDeleted(this.#erased, projectId);
  }

  /** The people who were forgotten since what was wanted was this. */
  forgottenSince(before: WantedMessages | undefined): readonly ErasedUser[] {
    return erasedSince(before === undefined ? NOBODY_ERASED : before.#erased, this.#erased);
  }

  #isOfProject(projectId: string): boolean {
    return this.#projectId === undefined || projectId === this.#projectId;
  }
}
