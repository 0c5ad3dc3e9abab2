import { hash } from 'node:crypto';
import type { Message } from './message.ts';

/**
 * The internal id of a user: 64 hexadecimal digits, a pure function of the project and the caller's id. A SHA-256 with
 * no secret in it, so that any process, and a replay years later, makes the same one.
 */
export function userKeyOf(projectId: string, userId: string): string {
  return sha256('user', projectId, userId);
}

/** The internal id of a user known by an SDK's anonymous id: never that of a user id of the same text. */
export function anonymousKeyOf(projectId: string, anonymousId: string): string {
  return sha256('anonymous', projectId, anonymousId);
}

/** The anonymous id that names the user of a message: null where a user id does. */
export function ownAnonymousIdOf({ userId, anonymousId }: Pick<Message, 'userId' | 'anonymousId'>): string | null {
  return userId === null ? anonymousId : null;
}

/** The key of a message's record: all of one user's messages of a topic go to one partition. */
export function partitionKeyOf({ projectId, userKey }: Pick<Message, 'projectId' | 'userKey'>): Uint8Array {
  return Buffer.from(`${projectId}/${userKey}`);
}

/** Each part goes in behind its length, so that no two lists of parts run together. */
function sha256(...parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  return hash('sha256', text, 'hex');
}
