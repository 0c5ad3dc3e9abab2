import type { Message } from '../../messages/message.ts';
import { isRetryable } from '../../runtime/errors.ts';
import type { Queryable } from '../database/database.ts';
import { readDeletedProjects } from '../projects/deleted-projects.ts';
import { type ErasedUsers, isForgotten } from './erased-users.ts';
import { ErasedUsersReader } from './read-erased-users.ts';

/** Whose messages on the log are no longer anybody's. */
export interface LeftOut {
  /** The ids of the projects that were deleted. */
  readonly projects: ReadonlySet<string>;
  readonly users: ErasedUsers;
}

export const NOTHING_LEFT_OUT: LeftOut = { projects: new Set(), users: new Map() };

/** How long a deletion may be unknown to a reader of the log that has its list from `leftOutOf`. */
const KNOWN_MS = 2_000;

export function isLeftOut(left: LeftOut, message: Pick<Message, 'projectId' | 'userKey' | 'receivedAt'>): boolean {
  return left.projects.has(message.projectId) || isForgotten(left.users, message);
}

/** What was deleted, read again no more often than every two seconds. */
export function leftOutOf(database: Queryable): () => Promise<LeftOut> {
  const erased = new ErasedUsersReader(database);
  return keptLeftOut(() => readLeftOut(database, erased));
}

/** The same, of what reads it. */
export function keptLeftOut(read: () => Promise<LeftOut>): () => Promise<LeftOut> {
  let [known, readAt] = [Promise.resolve(NOTHING_LEFT_OUT), -Infinity];
  return async () => {
    if (performance.now() - readAt < KNOWN_MS) return known;
    readAt = performance.now();
    known = read();
    known.catch(() => (readAt = -Infinity));
    return known;
  };
}

/** The same, with what was known before where it cannot be read: for those who go on then. */
export function lastLeftOut(read: () => Promise<LeftOut>): () => Promise<LeftOut> {
  let last = NOTHING_LEFT_OUT;
  return async () => {
    try {
      last = await read();
    } catch (error) {
      if (!isRetryable(error)) throw error;
    }
    return last;
  };
}

/**
 * As it is now.
 *
 * @param erased Kept by those who read it again: it reads the people anew only where the list has changed.
 * @throws TidemarkError `STORE_UNAVAILABLE`.
 */
export async function readLeftOut(database: Queryable, erased = new ErasedUsersReader(database)): Promise<LeftOut> {
  const [projects, users] = await Promise.all([readDeletedProjects(database), erased.read()]);
  return { projects, users };
}
