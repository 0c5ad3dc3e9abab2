/** The query that finds users by the beginning of their user id. Pure. It reads in the order of the table. */
import type { Query } from './analytics-store.ts';

export interface UserNameRow {
  readonly user_id: string;
  readonly internal_id: string;
}

/** In the order of user ids, by their bytes. @param after A user id that begins with the prefix; null for the first page. */
export function prefixQuery(projectId: string, prefix: string, after: string | null, limit: number): Query {
  const end = endOfPrefix(prefix);
  const conditions = [
    'project_id = {projectId:String}',
    after === null ? 'user_id >= {from:String}' : 'user_id > {from:String}',
    ...(end === null ? [] : ['user_id < {end:String}']),
  ];
  return {
    projectId,
    sql: `SELECT user_id, internal_id FROM user_id_rows WHERE ${conditions.join(' AND ')}
          ORDER BY project_id, user_id LIMIT 1 BY project_id, user_id LIMIT {limit:UInt64}`,
    params: { projectId, from: after ?? prefix, limit: String(limit), ...(end !== null && { end }) },
  };
}

const LAST_CODE_POINT = 0x10ffff;
const [BEFORE_SURROGATES, AFTER_SURROGATES] = [0xd7ff, 0xe000];

/** The first text, by bytes in UTF-8, above every one that begins with the prefix; null if every text may be. */
function endOfPrefix(prefix: string): string | null {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (codePoints.at(-1) === LAST_CODE_POINT) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...codePoints, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}
