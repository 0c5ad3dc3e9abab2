/** What a start does for projects: holds the database against the log, and makes the first one. */
import { SqlJobStore } from '../operations/jobs/sql-job-store.ts';
import { ProjectsOnLog, type ProjectsOnLogParts } from '../operations/project-log/projects-on-log.ts';
import type { Config } from '../runtime/config.ts';
import { retry, type RetryOptions } from '../runtime/retry.ts';
import type { Database } from '../stores/database/database.ts';
import { newProjectDefaults } from './stores.ts';
import { type FirstStart, makeFirstProject } from '../stores/projects/first-start.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import { isServer } from '../runtime/embedded.ts';

// A process that makes the first keys shows them within a fraction of a second.
const OTHERS_SHOW_WITHIN_MS = 5_000;

/** Oldest first. */
export async function projectNamesIn(database: Database): Promise<readonly string[]> {
  return (await new SqlProjectStore(database).listProjects()).map(({ name }) => name);
}

/** Notes the jobs of a process before as interrupted; then as `ensureFirstProject`. */
export async function startProjects(
  config: Config,
  parts: ProjectsOnLogParts,
  signal: AbortSignal,
): Promise<FirstStart | undefined> {
  // No other process has an embedded database open.
  if (!isServer(config.profilesUrl))
    await retry(() => new SqlJobStore(parts.database).interruptAll(), waiting(parts, signal));
  return ensureFirstProject(config, parts, signal);
}

/**
 * Holds the projects of the database against the log, and makes the first project where the database has none: one that
 * was lost, where the configuration says so.
 *
 * @throws TidemarkError `PROJECTS_LOST`; `STOPPING`.
 */
export function ensureFirstProject(
  config: Config,
  parts: ProjectsOnLogParts,
  signal: AbortSignal,
): Promise<FirstStart | undefined> {
  const { initialTimezone: timezone, recoverProjects: recover } = config;
  const ensure = async (): Promise<FirstStart | undefined> => {
    const onLog = await ProjectsOnLog.read(parts);
    const lost = await onLog.lost({ recover, timezone });
    await onLog.obeyDeletions();
    const firstStart = await makeFirst(config, parts.database, lost[0]);
    await onLog.complete(lost);
    return firstStart;
  };
  return retry(ensure, waiting(parts, signal));
}

/** Makes the first project, with the keys of the configuration, if the database has no project. */
export function makeFirst(
  config: Config,
  database: Database,
  lost?: Parameters<typeof makeFirstProject>[1]['lost'],
): Promise<FirstStart | undefined> {
  const { initialWriteKey: writeKey, initialReadKey: readKey, initialAdminKey: adminKey } = config;
  return makeFirstProject(
    new SqlProjectStore(database),
    { ...newProjectDefaults(config), writeKey, readKey, adminKey, lost },
    // No other process has an embedded database open.
    { othersShowWithinMs: isServer(config.profilesUrl) ? OTHERS_SHOW_WITHIN_MS : 0 },
  );
}

/** Before readers read: a database that was restored from a backup may not know what was deleted. */
export function obeyDeletions(parts: ProjectsOnLogParts, signal: AbortSignal): Promise<void> {
  return retry(async () => (await ProjectsOnLog.read(parts)).obeyDeletions(), waiting(parts, signal));
}

function waiting({ logger }: Pick<ProjectsOnLogParts, 'logger'>, signal: AbortSignal): RetryOptions {
  const onTrouble = (err: unknown): void => logger.warn({ err }, 'cannot finish the start now: waiting');
  return { signal, onTrouble };
}

/**
 * Whether the user of this process is not one of those that deploy/rights gives to a process with `ADMIN=off`. Waits for a
 * database that cannot be reached.
 *
 * @throws TidemarkError `STOPPING` once the signal is aborted.
 */
export async function mayRunJobs(
  { database, logger }: Pick<ProjectsOnLogParts, 'logger'> & { readonly database: Pick<Database, 'query'> },
  signal: AbortSignal,
): Promise<boolean> {
  const sql = "select has_table_privilege('jobs', 'insert') as may";
  const [row] = await retry(() => database.query<{ readonly may: boolean }>(sql), waiting({ logger }, signal));
  return row?.may === true;
}
