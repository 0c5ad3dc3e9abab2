import type { Message, Micros } from '../../messages/message.ts';
import { eventKeyOf } from './event-key.ts';

/**
 * The people whose messages on the log are no longer anybody's: `project/internal id` → the instant up to which messages are
 * gone, by when they were received. The key is the text of the log's record key, see `partitionKeyOf`. A project that was
 * deleted is `project/`, which stands for everybody of it. Events that were erased are `project/internal id#event key`, and
 * `project/internal id#` stands for that there are such events.
 */
export type ErasedUsers = ReadonlyMap<string, Micros>;

export const NOBODY_ERASED: ErasedUsers = new Map();

/** In place of an internal id: everybody of the project. */
export const EVERYBODY = '';

/** The same, of an erasure of events by a condition. */
export const SOME_EVENTS = 'events';

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

/** The name of an event that was erased, whose user stays; undefined of any other message. */
function erasedEventOf(erased: ErasedUsers, message: Pick<Message, 'receivedAt'> | Message): string | undefined {
  if (erased.size === 0 || !('type' in message) || message.type !== 'track') return undefined;
  const user = userName(message.projectId, message.userKey);
  if (!erased.has(eventName(user, ''))) return undefined;
  const name = eventName(user, eventKeyOf(message));
  return erased.has(name) ? name : undefined;
}

export function isErasedEvent(erased: ErasedUsers, message: Message): boolean {
  return erasedEventOf(erased, message) !== undefined;
}

/** Whether nobody is to see the message. */
export function isLeftOut(erased: ErasedUsers, message: Message): boolean {
  return isForgotten(erased, message) || isErasedEvent(erased, message);
}

/** Whether messages of this user have to be looked at: some may be gone. @param user As of `userName`. */
export function mayBeLeftOut(erased: ErasedUsers, user: string): boolean {
  return erased.has(user) || erased.has(eventName(user, ''));
}

/** By which name of `ErasedUsers` a message of this user is gone. @param message Where it is known. */
export function erasedNameOf(
  erased: ErasedUsers,
  user: string,
  receivedAt: Micros,
  message: Pick<Message, 'receivedAt'> | undefined,
): string | undefined {
  if (receivedAt <= (erased.get(user) ?? -ALL_TIME)) return user;
  return message && erasedEventOf(erased, message);
}

/** As in `ErasedUsers`. @param user The name of the user. */
export function eventName(user: string, eventKey: string): string {
  return `${user}#${eventKey}`;
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

/** The user of this name, or of the event of this name. */
export function userNamed(name: string): ErasedUser {
  const ofUser = name.replace(/#[\da-f]*$/, '');
  const slash = ofUser.lastIndexOf('/');
  return { projectId: ofUser.slice(0, slash), userKey: ofUser.slice(slash + 1) };
}
