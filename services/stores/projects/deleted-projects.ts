import type { Queryable } from '../database/database.ts';

/** The ids of the projects that were deleted. @throws TidemarkError `STORE_UNAVAILABLE`. */
export async function readDeletedProjects(database: Queryable): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ readonly id: string }>('select id from deleted_projects');
  return new Set(rows.map(({ id }) => id));
}
