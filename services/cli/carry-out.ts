import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { migrateDatabase } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { projectCommands, type CommandArguments, type ProjectCommandResults } from '../projects/project-commands.ts';
import { SqlProjectStore } from '../projects/sql-project-store.ts';
import { readConfig, type Config } from '../runtime/config.ts';
import { askControl } from '../runtime/control-client.ts';
import { controlSocketPath } from '../runtime/control-socket.ts';
import { hasCode, TidemarkError } from '../runtime/errors.ts';
import { lockFolder, type FolderLock } from '../runtime/folder-lock.ts';
import type { CliContext } from './context.ts';

type CommandName = keyof ProjectCommandResults;

/** A service that is starting or stopping has its folder for some seconds without answering. */
const PATIENCE_MS = 15_000;
const ASK_AGAIN_MS = 100;

/**
 * Carries out a command: by the service that has the embedded stores open, where one runs, else on the stores. A
 * Postgres server takes any number of clients, so there the service is not asked.
 *
 * @throws TidemarkError what the command throws; `CONTROL_UNAVAILABLE` where a service runs but does not answer.
 */
export async function carryOut<Name extends CommandName>(
  { env }: Pick<CliContext, 'env'>,
  name: Name,
  args: CommandArguments,
): Promise<ProjectCommandResults[Name]> {
  const config = readConfig(env);
  if (!config.profilesUrl.startsWith('pglite:')) return onStores(config, name, args);
  checkData(config, name);
  const patienceEnds = performance.now() + PATIENCE_MS;
  for (;;) {
    const asked = await askService(config, name, args);
    if ('result' in asked) return asked.result;
    const lock = tryLock(config.dataDir);
    if (lock !== undefined) return onLockedStores(lock, config, name, args);
    if (performance.now() > patienceEnds) throw asked.unavailable;
    await delay(ASK_AGAIN_MS);
  }
}

/** Else `project list` in the wrong folder would make an installation there. */
function checkData({ dataDir }: Config, name: CommandName): void {
  if (name === 'project create' || existsSync(dataDir)) return;
  const message = `There is no data folder ${dataDir}. Set DATA_DIR to that of the service, or start the service first.`;
  throw new TidemarkError('CONFIG_INVALID', message);
}

async function askService<Name extends CommandName>(
  { dataDir }: Config,
  name: Name,
  args: CommandArguments,
): Promise<{ result: ProjectCommandResults[Name] } | { unavailable: TidemarkError }> {
  try {
    const result = await askControl(controlSocketPath(dataDir), name, args);
    return { result: result as ProjectCommandResults[Name] };
  } catch (error) {
    if (hasCode(error, 'CONTROL_UNAVAILABLE')) return { unavailable: error };
    throw error;
  }
}

function tryLock(folder: string): FolderLock | undefined {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (hasCode(error, 'FOLDER_IN_USE')) return undefined;
    throw error;
  }
}

async function onLockedStores<Name extends CommandName>(
  lock: FolderLock,
  config: Config,
  name: Name,
  args: CommandArguments,
): Promise<ProjectCommandResults[Name]> {
  try {
    return await onStores(config, name, args);
  } finally {
    lock.release();
  }
}

async function onStores<Name extends CommandName>(
  { profilesUrl, initialTimezone }: Config,
  name: Name,
  args: CommandArguments,
): Promise<ProjectCommandResults[Name]> {
  const database = await openDatabase(profilesUrl);
  try {
    await migrateDatabase(database);
    return await projectCommands(new SqlProjectStore(database), initialTimezone)[name](args);
  } finally {
    await database.close();
  }
}
