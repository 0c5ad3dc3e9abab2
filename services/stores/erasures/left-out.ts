import { isRetryable } from '../../runtime/errors.ts';
import type { Queryable } from '../database/database.ts';
import { readEventCuts } from '../projects/kept-events.ts';
import { type ErasedUsers, NOBODY_ERASED } from './erased-users.ts';
import { ErasedUsersReader } from './read-erased-users.ts';

/** How long an erasure may be unknown to a reader of the log that has its list from `leftOutOf`. */
const KNOWN_MS = 2_000;

/** Reads who was erased, at most every two seconds. */
export function leftOutOf(database: Queryable): () => Promise<ErasedUsers> {
  const erased = new ErasedUsersReader(database);
  return keptLeftOut(() => erased.read());
}

/** Reads who was erased and which events are deleted, each at most every two seconds. */
export function deletionsOf(database: Queryable) {
  return { leftOut: leftOutOf(database), eventsFrom: keptLeftOut(() => readEventCuts(database)) };
}

/** Keeps what is read for two seconds. */
export function keptLeftOut<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  let readAt = -Infinity;
  return async () => {
    if (known !== undefined && performance.now() - readAt < KNOWN_MS) return known;
    readAt = performance.now();
    known = read();
    known.catch(() => (readAt = -Infinity));
    return known;
  };
}

/** Goes on with what was known before while the list cannot be read. */
export function lastLeftOut(read: () => Promise<ErasedUsers>): () => Promise<ErasedUsers> {
  let last = NOBODY_ERASED;
  return async () => {
    try {
      last = await read();
    } catch (error) {
      if (!isRetryable(error)) throw error;
    }
    return last;
  };
}
