/** Whether the database is one that a backup is being restored into: kept in it, so that every process knows. */
import { TidemarkError } from '../../runtime/errors.ts';
import type { Queryable } from '../database/database.ts';
import { hasTable } from '../database/migrate.ts';
import { NOW_MS } from '../database/sql-time.ts';

export interface RestoreState {
  /** Names the backup, and up to when its log goes. */
  readonly backup: string;
  readonly hasTables: boolean;
  readonly isFinished: boolean;
  /** Why it can never come to its end. */
  readonly failure: string | null;
}

/** Undefined where no restore was ever begun. */
export async function restoreState(database: Queryable): Promise<RestoreState | undefined> {
  if (!(await hasTable(database, 'restores'))) return undefined;
  const [row] = await database.query<RestoreState>(
    `select backup, tables_at_ms is not null as "hasTables", finished_at_ms is not null as "isFinished", failure
     from restores`,
  );
  return row;
}

export async function noteRestoreBegun(database: Queryable, backup: string): Promise<void> {
  await database.query(`insert into restores (backup, begun_at_ms) values ($1, ${NOW_MS})`, [backup]);
}

export async function noteTablesFilled(database: Queryable): Promise<void> {
  await database.query(`update restores set tables_at_ms = ${NOW_MS}`);
}

export async function noteRestoreFailed(database: Queryable, failure: string): Promise<void> {
  await database.query('update restores set failure = $1', [failure]);
}

export async function noteRestoreFinished(database: Queryable): Promise<void> {
  await database.query(`update restores set finished_at_ms = ${NOW_MS}`);
}

/** @throws TidemarkError `RESTORE_UNFINISHED`. */
export async function refuseUnfinishedRestore(database: Queryable): Promise<void> {
  const state = await restoreState(database);
  if (state === undefined || state.isFinished) return;
  const how =
    state.failure === null
      ? 'Run the same `tidemark restore` again: it goes on where it ended.'
      : `It cannot go on: ${state.failure} Empty the stores and restore again.`;
  throw new TidemarkError('RESTORE_UNFINISHED', `The restore of the backup of ${state.backup} is not finished. ${how}`);
}

/** The endpoints of webhooks of what is restored for a drill: each until somebody enables it. */
export async function pauseEndpoints(database: Queryable): Promise<void> {
  await database.query("update endpoints set disabled = 'drill' where disabled is null");
}

/** How many are paused so. */
export async function pausedEndpoints(database: Queryable): Promise<number> {
  const sql = "select count(*)::int4 as paused from endpoints where disabled = 'drill'";
  const [row] = await database.query<{ readonly paused: number }>(sql);
  return row?.paused ?? 0;
}
