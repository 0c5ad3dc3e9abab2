import { setTimeout as delay } from 'node:timers/promises';
import { type CommandArguments, type CommandCall, commandInvalid } from '../../runtime/command.ts';
import type { Database } from '../../stores/database/database.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { FIRST_GENERATION, type Generation } from '../../stores/generations/generation.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { tablesOfProfiles } from '../../stores/projects/delete-project.ts';
import { messageIn } from '../dead-letters/read-dead-letters.ts';
import { SettledDeadLetters } from '../dead-letters/settled-dead-letters.ts';
import { Replay, type ReplayParts } from '../replay/replay.ts';

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

// Readers, of any process, learn of a deletion within two seconds, and look for one before each attempt to write. The
// attempt under way then takes a minute at most. Afterwards nothing of the project is written any more.
const PAUSE_MS = 65_000;

// A statement takes a fraction of a second, and readers wait for none.
const ROWS_AT_ONCE = 2_000;

/**
 * The job `project erase`: takes `project`, the id of one that was deleted. Deletes what the stores have of it, in every
 * generation, twice: what readers wrote while they did not know of the deletion goes the second time. May be interrupted
 * at any point, and repeated.
 *
 * @throws TidemarkError `COMMAND_INVALID` where the project was not deleted; what the stores throw.
 */
export async function eraseProject(
  parts: ErasureParts,
  { project }: CommandArguments,
  call: CommandCall,
): Promise<Erasure> {
  if (typeof project !== 'string' || !(await isDeleted(parts.database, project))) {
    throw commandInvalid('Only a project that was deleted is erased.');
  }
  const { pauseMs = PAUSE_MS } = parts;
  await dropOwnGenerations(parts, project, call);
  const found = { users: 0, tables: 0 };
  for (let isFirst = true; ; isFirst = false) {
    const { users, tables } = await erase(parts, project, call, found.users);
    found.users += users;
    found.tables += tables;
    if (!isFirst && users === 0 && tables === 0) break;
    call.report({ phase: 'waiting for the readers', done: found.users, unit: 'users' });
    await delay(pauseMs, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted());
  }
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
  project: string,
  call: CommandCall,
  before: number,
): Promise<Pick<Erasure, 'users' | 'tables'>> {
  const { database } = parts;
  let users = 0;
  // Users last: as long as there is one, the project counts as not empty.
  for (const name of ['applied_counts', 'profiles', 'anonymous_ids', 'users']) {
    for (const table of await tablesOfProfiles(database, name)) {
      for await (const rows of deletedSlices(database, table, project, call.signal)) {
        if (name === 'users') users += rows;
        call.report({ phase: 'profiles', done: before + users, unit: 'users' });
      }
    }
  }
  for (const table of ['refusals', 'verification_hours']) {
    for await (const _ of deletedSlices(database, table, project, call.signal)) continue;
  }
  await eraseBegunEdits(parts, project);
  call.report({ phase: 'analytics', done: before + users, unit: 'users' });
  return { users, tables: await eraseAnalytics(parts, project, call.signal) };
}

/** Corrections of dead letters that are written down, and not known to be appended. They are few. */
async function eraseBegunEdits({ database, codec }: ErasureParts, project: string): Promise<void> {
  const settled = new SettledDeadLetters(database);
  const begun = await settled.begunEdits();
  await codec.prepare(begun.map(({ value }) => value));
  await settled.forgetEdits(begun.filter((edit) => messageIn(codec, edit)?.projectId === project));
}

/** How many rows each statement deleted. */
async function* deletedSlices(
  database: Database,
  table: string,
  project: string,
  signal: AbortSignal,
): AsyncGenerator<number> {
  for (;;) {
    signal.throwIfAborted();
    const deleted = await database.query(
      `delete from ${table} where ctid = any (array(select ctid from ${table} where project_id = $1 limit $2::int4))
       and project_id = $1
       returning 1`,
      [project, ROWS_AT_ONCE],
    );
    if (deleted.length === 0) return;
    yield deleted.length;
  }
}

async function eraseAnalytics({ database, analytics }: ErasureParts, project: string, signal: AbortSignal) {
  const all = await new SqlGenerations(database).list();
  let tables = 0;
  for (const { number } of all.filter(hasTables)) {
    signal.throwIfAborted();
    tables += await (await analytics.ofGeneration(number)).forgetProject(project, signal);
  }
  return tables;
}

/** The first has the history of audiences, also where it is dropped. */
function hasTables({ kind, number, state }: Generation): boolean {
  return kind === 'analytics' && (number === FIRST_GENERATION || state === 'building' || state === 'built');
}
