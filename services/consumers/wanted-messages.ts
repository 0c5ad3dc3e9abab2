import type { Message } from '../messages/message.ts';
import { type ErasedUser, erasedSince } from '../stores/erasures/erased-users.ts';
import { isLeftOut, type LeftOut, NOTHING_LEFT_OUT } from '../stores/erasures/left-out.ts';

/** Which messages a consumer processes, as it is known at one time. */
export class WantedMessages {
  readonly #left: LeftOut;
  readonly #projectId: string | undefined;

  private constructor(left: LeftOut, projectId: string | undefined) {
    this.#left = left;
    this.#projectId = projectId;
  }

  /**
   * @param projectId The only project whose messages are; every one by default.
   * @returns Undefined where every message is wanted.
   */
  static of(left: LeftOut = NOTHING_LEFT_OUT, projectId?: string): WantedMessages | undefined {
    const isAll = projectId === undefined && left.projects.size === 0 && left.users.size === 0;
    return isAll ? undefined : new WantedMessages(left, projectId);
  }

  has(message: Pick<Message, 'projectId' | 'userKey' | 'receivedAt'>): boolean {
    return this.#isOfProject(message.projectId) && !isLeftOut(this.#left, message);
  }

  hasProject(projectId: string): boolean {
    return this.#isOfProject(projectId) && !this.#left.projects.has(projectId);
  }

  /** The people who were forgotten since what was wanted was this. */
  forgottenSince(before: WantedMessages | undefined): readonly ErasedUser[] {
    const known = before === undefined ? NOTHING_LEFT_OUT : before.#left;
    return erasedSince(known.users, this.#left.users);
  }

  #isOfProject(projectId: string): boolean {
    return this.#projectId === undefined || projectId === this.#projectId;
  }
}
