/** References between saved audiences, checked while nobody else changes those of the project. */
import type { Database, Queryable } from '../../stores/database/database.ts';
import type { AudienceRow } from './audience-row.ts';
import { type Referable, referencesIn, refuseReferences } from './references.ts';

/**
 * Serializes what is done to the audiences of a project until the end of the transaction. Returns false if there is no such
 * project.
 */
export async function lockProject(transaction: Queryable, projectId: string): Promise<boolean> {
  return (await transaction.query('select id from projects where id = $1 for no key update', [projectId])).length > 0;
}

/** @throws TidemarkError as `refuseReferences`. */
export async function refuseReferencesOf(
  transaction: Queryable,
  projectId: string,
  id: string | null,
  definition: string,
): Promise<void> {
  if (referencesIn(definition).length > 0) refuseReferences(await referableIn(transaction, projectId), id, definition);
}

/** Makes a change, in a transaction where its definition refers to others. @throws TidemarkError as `refuseReferences`. */
export function changeWithReferences(
  database: Database,
  projectId: string,
  id: string,
  definition: string | undefined,
  change: (database: Queryable) => Promise<readonly AudienceRow[]>,
): Promise<readonly AudienceRow[]> {
  if (definition === undefined || referencesIn(definition).length === 0) return change(database);
  return database.transaction(async (transaction) => {
    await lockProject(transaction, projectId);
    await refuseReferencesOf(transaction, projectId, id, definition);
    return change(transaction);
  });
}

/** Those of a project. */
export function referableIn(transaction: Queryable, projectId: string): Promise<readonly Referable[]> {
  const sql = 'select id, name, definition from audiences where project_id = $1 and deleted_at_ms is null';
  return transaction.query<Referable>(sql, [projectId]);
}
