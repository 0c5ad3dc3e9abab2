/** The statement that finds users by the beginning of their user id, in the order of bytes, as an index has them. */
import type { SqlValue } from '../database/database.ts';

/** A user by the caller's id. */
export interface UserName {
  readonly userId: string;
  readonly userKey: string;
}

/** @param after A user id that begins with the prefix; '' for the first page. */
export function prefixQuery(
  projectId: string,
  prefix: string,
  after: string,
  limit: number,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const end = endOfPrefix(prefix);
  const from = after === '' ? 'user_id >= $3' : 'user_id > $3';
  const sql = `
    select user_id as "userId", user_key as "userKey" from {users}
    where project_id = $1 and ${from} ${end === null ? '' : 'and user_id < $4'}
    order by user_id limit $2`;
  return { sql, values: [projectId, limit, after === '' ? prefix : after, ...(end === null ? [] : [end])] };
}

const LAST_CODE_POINT = 0x10ffff;
const [BEFORE_SURROGATES, AFTER_SURROGATES] = [0xd7ff, 0xe000];

/** The first text, by bytes in UTF-8, above every one that begins with the prefix; null where there is none. */
export function endOfPrefix(prefix: string): string | null {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === LAST_CODE_POINT) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...codePoints, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}
