import { type Command, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Database, Queryable } from '../database/database.ts';
import { tableOf } from '../generations/generation.ts';
import { SqlGenerations } from '../generations/sql-generations.ts';

export interface Deletion {
  readonly deleted: boolean;
  /** What keeps the project from being deleted, in words. */
  readonly has: readonly string[];
}

/** `project delete`: takes `id`. Deletes a project that is empty, with its revoked keys. */
export function deletionCommand(database: Database): Command<Deletion> {
  return async ({ id }) => {
    if (typeof id !== 'string' || !/^\w{1,100}$/u.test(id)) throw commandInvalid('A project is named by its id.');
    const tables = await userTables(database);
    return database.transaction(async (transaction) => {
      const found = await transaction.query('select 1 from projects where id = $1 for update', [id]);
      if (found.length === 0) throw new TidemarkError('PROJECT_UNKNOWN', `No project has the id ${id}.`);
      const has = await contentOf(transaction, id, tables);
      if (has.length > 0) return { deleted: false, has };
      await transaction.query('delete from api_keys where project_id = $1', [id]);
      await transaction.query('delete from projects where id = $1', [id]);
      return { deleted: true, has };
    });
  };
}

/** The users of every generation that is read into. */
async function userTables(database: Database): Promise<readonly string[]> {
  const all = await new SqlGenerations(database).list();
  const fed = all.filter(({ kind, state }) => kind === 'profiles' && (state === 'building' || state === 'built'));
  return fed.map(({ kind, number }) => tableOf(kind, number, 'users'));
}

async function contentOf(transaction: Queryable, id: string, tables: readonly string[]): Promise<readonly string[]> {
  const questions: [string, string][] = [
    ['keys in use', 'select 1 from api_keys where project_id = $1 and revoked_at_ms is null limit 1'],
    ['audiences', 'select 1 from audiences where project_id = $1 limit 1'],
    ...tables.map((table): [string, string] => ['users', `select 1 from ${table} where project_id = $1 limit 1`]),
  ];
  const has = new Set<string>();
  for (const [what, sql] of questions) if ((await transaction.query(sql, [id])).length > 0) has.add(what);
  return [...has];
}
