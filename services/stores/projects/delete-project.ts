import { commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Database, Queryable } from '../database/database.ts';
import { type DeletedProject, SqlErasures } from '../erasures/sql-erasures.ts';
import { type Generation, tableOf } from '../generations/generation.ts';
import { forgetLive, liveNumberOf, SqlGenerations } from '../generations/sql-generations.ts';

/** What a project has. */
export interface ProjectContent {
  readonly users: number;
  readonly audiences: number;
  /** In use. */
  readonly keys: number;
}

export interface Deletion {
  readonly deleted: boolean;
  /** What keeps the project from being deleted without its name, in words. */
  readonly has: readonly string[];
  /** Whether the job `project erase` has to delete what the stores have of it. */
  readonly leaves?: boolean;
}

/** What did not come with a key. */
const LOCAL = 'local';

/** As HTTP calls it, from another thread too. */
export type ProjectDeletion = ReturnType<typeof projectDeletion>;

export function projectDeletion(database: Database) {
  return {
    delete: (id: string, confirm: string | undefined, actor: string) => deleteProject(database, id, confirm, actor),
    contentOf: (id: string) => contentOfProject(database, id),
  };
}

/**
 * Deletes a project that is empty, or whose name was given, with its keys and audiences, in one transaction: from then on
 * nothing is accepted or answered for it, readers skip its messages, and its name is free. If it was deleted
 * before, says whether anything is left of it.
 *
 * @param confirm The name of the project.
 * @param actor The id of the key that asked for it.
 * @throws TidemarkError `PROJECT_UNKNOWN`; `PROJECT_NAME_DIFFERS`; `COMMAND_INVALID`.
 */
export async function deleteProject(
  database: Database,
  id: string,
  confirm?: string,
  actor = LOCAL,
): Promise<Deletion> {
  if (!/^\w{1,100}$/u.test(id)) throw commandInvalid('A project is named by its id.');
  const tables = await tablesOfProfiles(database, 'users');
  return database.transaction(async (transaction) => {
    const name = await lockedName(transaction, id);
    if (name === undefined) return unfinished(transaction, id, confirm);
    checkName(name, confirm);
    const has = await contentOf(transaction, id, tables);
    if (has.length > 0 && confirm === undefined) return { deleted: false, has };
    const leaves = (await forgetLive(transaction, id)) > 0 || has.length > 0;
    await remove(transaction, { id, name, leaves, actor });
    return { deleted: true, has: [], leaves };
  });
}

async function lockedName(transaction: Queryable, id: string): Promise<string | undefined> {
  const sql = 'select name from projects where id = $1 for update';
  const [row] = await transaction.query<{ readonly name: string }>(sql, [id]);
  return row?.name;
}

/**
 * Deletes a project that the log says was deleted, where the database is from before that. Returns whether there was
 * anything to do. Idempotent.
 */
export async function deleteAsOnLog(database: Database, id: string, name: string): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockedName(transaction, id);
    if ((await transaction.query(ERASURE, [id])).length > 0) return false;
    await forgetLive(transaction, id);
    await remove(transaction, { id, name, leaves: true, actor: LOCAL });
    return true;
  });
}

/** What is left of a project that was deleted before. */
async function unfinished(transaction: Queryable, id: string, confirm: string | undefined): Promise<Deletion> {
  const [row] = await transaction.query<{ readonly name: string }>(`${ERASURE} and state = 'pending'`, [id]);
  if (row === undefined) throw new TidemarkError('PROJECT_UNKNOWN', `No project has the id ${id}.`);
  checkName(row.name, confirm);
  if (confirm === undefined) return { deleted: false, has: ['what is being deleted of it'] };
  return { deleted: true, has: [], leaves: true };
}

const ERASURE = `select project_name as name from erasures where project_id = $1 and user_key = ''`;

function checkName(name: string, confirm: string | undefined): void {
  if (confirm === undefined || confirm === name) return;
  throw new TidemarkError('PROJECT_NAME_DIFFERS', 'The name that confirms the deletion is not that of the project.');
}

async function remove(transaction: Queryable, project: DeletedProject): Promise<void> {
  const { id } = project;
  await SqlErasures.addProject(transaction, project);
  // An answer that is sent again may have anything of the project.
  await transaction.query(`delete from repeats where principal in (select id from api_keys where project_id = $1)`, [
    id,
  ]);
  for (const table of ['console_sessions', 'api_keys', 'audiences', 'join_decisions']) {
    await transaction.query(`delete from ${table} where project_id = $1`, [id]);
  }
  await transaction.query('delete from projects where id = $1', [id]);
}

/** Counts what a deletion would delete. @throws TidemarkError `PROJECT_UNKNOWN`. */
export async function contentOfProject(database: Database, id: string): Promise<ProjectContent> {
  const users = tableOf('profiles', await liveNumberOf(database, 'profiles', id), 'users');
  const [row] = await database.query<Record<keyof ProjectContent, bigint>>(
    `select (select count(*) from ${users} where project_id = $1) as users,
            (select count(*) from audiences where project_id = $1 and deleted_at_ms is null) as audiences,
            (select count(*) from api_keys where project_id = $1 and revoked_at_ms is null) as keys
     from projects where id = $1`,
    [id],
  );
  if (row === undefined) throw new TidemarkError('PROJECT_UNKNOWN', 'There is no such project.');
  return { users: Number(row.users), audiences: Number(row.audiences), keys: Number(row.keys) };
}

/** The tables of this name in every generation of profiles that is read into. */
export async function tablesOfProfiles(database: Database, table: string): Promise<readonly string[]> {
  const all = await new SqlGenerations(database).list();
  return all.filter(isFed).map(({ kind, number }) => tableOf(kind, number, table));
}

function isFed({ kind, state }: Generation): boolean {
  return kind === 'profiles' && (state === 'building' || state === 'built');
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
