import type { Queryable } from '../database/database.ts';

/** How long a deletion may be unknown to a reader of the log that has its set from `deletedProjects`. */
const DELETIONS_KNOWN_MS = 2_000;

/** The ids of the projects that were deleted, read again no more often than every two seconds. */
export function deletedProjects(database: Queryable): () => Promise<ReadonlySet<string>> {
  let [known, readAt] = [Promise.resolve<ReadonlySet<string>>(new Set()), -Infinity];
  return async () => {
    if (performance.now() - readAt < DELETIONS_KNOWN_MS) return known;
    readAt = performance.now();
    known = readDeletedProjects(database);
    known.catch(() => (readAt = -Infinity));
    return known;
  };
}

/** @throws TidemarkError `STORE_UNAVAILABLE`. */
export async function readDeletedProjects(database: Queryable): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ readonly id: string }>('select id from deleted_projects');
  return new Set(rows.map(({ id }) => id));
}
