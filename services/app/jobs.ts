/** What each kind of job does, with the stores that it needs. */
import { LogGuard } from '../ingest/log-guard.ts';
import { backUp } from '../operations/backup/back-up.ts';
import { Settler } from '../operations/dead-letters/settle.ts';
import { deleteOldEvents } from '../operations/erasure/old-events.ts';
import { blankingOn, eraseProject, forgetUsers } from '../operations/erasure/forget-users.ts';
import { importFile, type ImportRunner } from '../operations/import/import-commands.ts';
import { importsFolderOf } from '../operations/import/import-request.ts';
import type { JobCommands } from '../operations/jobs/job.ts';
import { cutLog } from '../operations/log-cut/cut-log.ts';
import { ReplayCommands } from '../operations/replay/replay-commands.ts';
import { SqlStoreFigures } from '../operations/status/store-figures.ts';
import { type VerifyCommandParts, verifyPeriod } from '../operations/verify/verify-commands.ts';
import type { CommandCall } from '../runtime/command.ts';
import type { Config } from '../runtime/config.ts';
import { dataFoldersOf, hasShards, isServer } from '../runtime/embedded.ts';
import type { Logger } from '../runtime/logger.ts';
import { LiveGenerations } from '../stores/generations/live-generations.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import { noteDifference } from '../webhooks/notices.ts';
import { ALL_STORES, WITHOUT_ANALYTICS } from './lazy-stores.ts';
import type { OpenedStores, StoreName } from './open-stores.ts';
import { Readers } from './readers/readers.ts';

/** What the operations of a process work with beside the stores. */
export interface Surroundings {
  readonly config: Config;
  readonly logger: Logger;
  /** Whether this process runs readers of its own. */
  readonly hasReaders: boolean;
  readonly importer: ImportRunner;
  /** Between pieces of work that nobody waits for. */
  readonly throttle?: VerifyCommandParts['throttle'];
}

/** Opens the stores of these names, or has them open. @throws The reason of the signal once that is aborted. */
export type OpenStores = <Name extends StoreName>(
  names: readonly Name[],
  call?: Pick<CommandCall, 'signal'>,
) => Promise<Pick<OpenedStores, Name>>;

/** What each kind of job does. */
export function jobsOn(surroundings: Surroundings, opened: OpenStores): JobCommands {
  const { config, logger } = surroundings;
  const replays = async (call: CommandCall) => replaysOn(surroundings, await opened(ALL_STORES, call));
  return {
    'dead-letters replay': async (args, call) => new Settler(await opened(WITHOUT_ANALYTICS, call)).replay(args, call),
    'dead-letters drop': async (args, call) => new Settler(await opened(WITHOUT_ANALYTICS, call)).drop(args, call),
    'replay build': async (args, call) => (await replays(call)).build(args, call),
    'replay compare': async (args, call) => (await replays(call)).compare(args, call),
    'replay swap': async (args, call) => (await replays(call)).swap(args, call),
    'replay rollback': async (args, call) => (await replays(call)).rollback(args, call),
    'replay drop': async (args, call) => (await replays(call)).drop(args, call),
    verify: verifyOn(surroundings, (call) => opened(ALL_STORES, call)),
    import: async (args, call) => {
      const { database, log } = await opened(WITHOUT_ANALYTICS, call);
      const guard = new LogGuard({ log, progress: new LiveGenerations(database), logger });
      const own = { database, importer: surroundings.importer, checkLog: () => guard.check() };
      return importFile({ ...importPartsOf(surroundings, { database }), ...own }, args, call);
    },
    backup: async (args, call) => {
      const stores = await opened(ALL_STORES, call);
      const hasRegistry = config.schemaRegistryUrl !== undefined;
      return backUp({ ...stores, keep: config.backupKeep, hasRegistry, logger }, args, call);
    },
    'project erase': async (args, call) => eraseProject(await opened(ALL_STORES, call), args, call),
    'log cut': async (args, call) =>
      cutLog({ ...(await opened(WITHOUT_ANALYTICS, call)), backupFolder: config.backupDir }, args, call),
    'events delete': async (args, call) => deleteOldEvents(await opened(ALL_STORES, call), args, call),
    'stores measure': async (_, call) => {
      const { database, analytics, log } = await opened(ALL_STORES, call);
      return new SqlStoreFigures(database, analytics).measure(dataFoldersOf(config), log);
    },
    'users erase': async (_, call) => {
      const stores = await opened(ALL_STORES, call);
      return forgetUsers({ ...stores, importsFolder: importsFolderOf(config.dataDir), ...blankingOn(stores) }, call);
    },
  };
}

export function importPartsOf(
  { config: { dataDir, importDir } }: Surroundings,
  { database }: Pick<OpenedStores, 'database'>,
) {
  return { folder: importsFolderOf(dataDir), importDir, projects: new SqlProjectStore(database) };
}

/** The job that verifies. */
export function verifyOn(
  { config: { repeatWindowMs }, logger, throttle }: Pick<Surroundings, 'config' | 'logger' | 'throttle'>,
  open: (call: CommandCall) => Promise<OpenedStores>,
): JobCommands['verify'] {
  return async (args, call) => {
    const stores = await open(call);
    const projects = new SqlProjectStore(stores.database);
    return verifyPeriod({ ...stores, projects, repeatWindowMs, logger, throttle, tell: noteDifference }, args, call);
  };
}

export function replaysOn(surroundings: Surroundings, stores: OpenedStores): ReplayCommands {
  const isSharded = hasShards(surroundings.config);
  return new ReplayCommands({ ...stores, isSharded, whileFed: (run) => whileFed(surroundings, stores, run) });
}

/** Where no service has the embedded stores open, the command fills them itself, with readers of its own. */
async function whileFed<T>(
  { config, logger, hasReaders }: Surroundings,
  stores: OpenedStores,
  run: () => Promise<T>,
): Promise<T> {
  if (hasReaders || (isServer(config.profilesUrl) && isServer(config.analyticsUrl))) return run();
  const readers = new Readers({ ...stores, config, logger }, ['projector', 'sink']);
  readers.start();
  try {
    return await Promise.race([run(), readers.failed]);
  } finally {
    await readers.stop();
  }
}
