import type { JobArguments } from '../jobs/job.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import type { Database } from '../../stores/database/database.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { forgetLetters } from '../../stores/profiles/dead-letter-rows.ts';
import { Replay, type ReplayParts } from '../replay/replay.ts';
import { deletedFromProfiles, deletedSlices, eraseAnalytics, eraseUntilGone, reportingWaits } from './erase-rows.ts';

/** What was deleted of a project, as plain JSON. */
export interface Erasure {
  readonly project: string;
  readonly users: number;
  /** Tables of ClickHouse from which rows were deleted, in all generations. */
  readonly tables: number;
}

export interface ErasureParts extends ReplayParts {
  /** For tests. */
  readonly pauseMs?: number;
}

/**
 * The job `project erase`: takes `project`, the id of one that was deleted. Deletes what the stores have of it, in every
 * generation, twice: what readers wrote while they did not know of the deletion goes the second time. May be interrupted
 * at any point, and repeated.
 *
 * @throws TidemarkError `COMMAND_INVALID` where the project was not deleted; what the stores throw.
 */
export async function eraseProject(
  parts: ErasureParts,
  { project }: JobArguments['project erase'],
  call: CommandCall,
): Promise<Erasure> {
  if (!(await isDeleted(parts.database, project))) {
    throw commandInvalid('Only a project that was deleted is erased.');
  }
  await dropOwnGenerations(parts, project, call);
  const found = { users: 0, tables: 0 };
  const eraseOnce = async (): Promise<boolean> => {
    const { users, tables } = await erase(parts, project, call, found.users);
    found.users += users;
    found.tables += tables;
    return users > 0 || tables > 0;
  };
  const onPause = (): void => call.report({ phase: 'waiting for the readers', done: found.users, unit: 'users' });
  await eraseUntilGone(parts, call, eraseOnce, onPause);
  await parts.database.query(`update deleted_projects set finished_at_ms = ${NOW_MS} where id = $1`, [project]);
  return { project, ...found };
}

async function isDeleted(database: Database, project: string): Promise<boolean> {
  return (await database.query('select 1 from deleted_projects where id = $1', [project])).length > 0;
}

/** Generations that had this project's messages alone. */
async function dropOwnGenerations(parts: ErasureParts, project: string, { signal }: CommandCall): Promise<void> {
  const replay = new Replay(parts);
  for (const { kind, number, projectId, state } of await replay.list()) {
    if (projectId === project && state === 'dropping') await replay.drop(kind, number, signal);
  }
}

/** Deletes what is there now. @param before How many users were deleted before. */
async function erase(
  parts: ErasureParts,
  projectId: string,
  call: CommandCall,
  before: number,
): Promise<Pick<Erasure, 'users' | 'tables'>> {
  const { database } = parts;
  const whose = { projectId };
  let users = 0;
  // Users last: as long as there is one, the project counts as not empty.
  for (const name of ['applied_counts', 'profiles', 'anonymous_ids', 'users']) {
    for await (const rows of deletedFromProfiles(database, name, whose, call.signal)) {
      if (name === 'users') users += rows.length;
      call.report({ phase: 'profiles', done: before + users, unit: 'users' });
    }
  }
  for (const table of ['refusals', 'verification_hours']) {
    for await (const _ of deletedSlices(database, table, whose, call.signal)) continue;
  }
  await forgetLetters(database);
  const progress = { phase: 'analytics', done: before + users, unit: 'users' };
  const rows = await eraseAnalytics(parts, whose, reportingWaits(call, progress));
  return { users, tables: rows.length };
}
