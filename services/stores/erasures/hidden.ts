import type { Queryable } from '../database/database.ts';

/**
 * SQL: whether a user is being forgotten, or stays forgotten. Readers of the log that do not know of it yet may still write
 * what nobody is to read.
 *
 * @param projectId An expression of the project's id.
 * @param userKey An expression of the internal id.
 */
export function isHiddenSql(projectId: string, userKey: string): string {
  return `exists (select from erasures
                  where erasures.project_id = ${projectId} and erasures.user_key = ${userKey} and cut_us is null)`;
}

/**
 * The internal ids of the people who are being forgotten: they are deleted from one generation after another, and a reader that
 * does not know of it yet may write to one of them.
 */
export async function hiddenUsers(database: Queryable): Promise<readonly string[]> {
  const sql = `select distinct user_key from erasures where state = 'pending' and user_key not in ('', 'events')`;
  const rows = await database.query<{ readonly user_key: string }>(sql);
  return rows.map((row) => row.user_key);
}
