/** What keeps a saved audience from being found by its id, or from having its name. */
import { TidemarkError } from '../../runtime/errors.ts';
import type { Queryable } from '../../stores/database/database.ts';

/** Whether an audience of the project, other than `not`, has the name. */
export async function isNameInUse(
  database: Queryable,
  { projectId, name, not = '' }: { readonly projectId: string; readonly name: string; readonly not?: string },
): Promise<boolean> {
  const sql = 'select id from audiences where project_id = $1 and name = $2 and id <> $3 and deleted_at_ms is null';
  return (await database.query(sql, [projectId, name, not])).length > 0;
}

export function unknown(id: string): TidemarkError {
  return new TidemarkError('AUDIENCE_UNKNOWN', `There is no saved audience ${JSON.stringify(id)}.`);
}

export function exists(name: string): TidemarkError {
  return new TidemarkError('AUDIENCE_EXISTS', `There is a saved audience ${JSON.stringify(name)} already.`);
}
