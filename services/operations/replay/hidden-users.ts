import { userNumber } from '../../stores/analytics/columns.ts';
import type { Queryable } from '../../stores/database/database.ts';

/**
 * The numbers of the people who are being forgotten: they are deleted from one generation after another, and a reader that does
 * not know of it yet may write to one of them. So no comparison looks at them.
 */
export async function hiddenUsers(database: Queryable): Promise<readonly string[]> {
  const sql = `select distinct user_key from erasures where state = 'pending'`;
  const rows = await database.query<{ readonly user_key: string }>(sql);
  return rows.map((row) => userNumber(row.user_key));
}
