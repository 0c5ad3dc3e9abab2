import type { Message, Micros } from '../../messages/message.ts';

/**
 * The people whose messages on the log are no longer anybody's: `project/internal id` → the instant up to which messages are
 * gone, by when they were received. The key is the text of the log's record key, see `partitionKeyOf`. A project that was
 * deleted is `project/`, which stands for everybody of it.
 */
export type ErasedUsers = ReadonlyMap<string, Micros>;

export const NOBODY_ERASED: ErasedUsers = new Map();

/** In place of an internal id: everybody of the project. */
export const EVERYBODY = '';

/** The instant of those whose messages are all dropped, until that is lifted. */
export const ALL_TIME: Micros = 2n ** 63n - 1n;

/** A key for maps, as in `ErasedUsers`. */
export function userName(projectId: string, userKey: string): string {
  return `${projectId}/${userKey}`;
}

/** Whether the project was deleted. */
export function isDeleted(erased: ErasedUsers, projectId: string): boolean {
  return erased.has(userName(projectId, EVERYBODY));
}

/** Whether a message is of somebody who was forgotten, and is gone therefore. It depends on the message alone. */
export function isForgotten(
  erased: ErasedUsers,
  { projectId, userKey, receivedAt }: Pick<Message, 'projectId' | 'userKey' | 'receivedAt'>,
): boolean {
  if (erased.size === 0) return false;
  const cut = erased.get(userName(projectId, userKey));
  return (cut !== undefined && receivedAt <= cut) || isDeleted(erased, projectId);
}

/** Those of a project. */
export function erasedIn(projectId: string, erased: ErasedUsers): ErasedUsers {
  return new Map([...erased].filter(([name]) => userNamed(name).projectId === projectId));
}

/** A user of a project by the internal id. */
export interface ErasedUser {
  readonly projectId: string;
  readonly userKey: string;
}

/** Those who were forgotten, or of whom more was, since the list was as `before`. */
export function erasedSince(before: ErasedUsers, now: ErasedUsers): readonly ErasedUser[] {
  if (now === before) return [];
  return [...now].flatMap(([name, cut]) => (before.get(name) === cut ? [] : [userNamed(name)]));
}

/** The user of this name. */
export function userNamed(name: string): ErasedUser {
  const slash = name.lastIndexOf('/');
  return { projectId: name.slice(0, slash), userKey: name.slice(slash + 1) };
}
