/** What operators have done, with the stores that each needs. */
import { JobRunner, type JobRunnerParts } from '../operations/jobs/job-runner.ts';
import type { JobKind } from '../operations/jobs/job.ts';
import type { Operations } from '../operations/ports.ts';
import { LogGuard } from '../ingest/log-guard.ts';
import { backUp } from '../operations/backup/back-up.ts';
import { listDeadLetters, showDeadLetter } from '../operations/dead-letters/dead-letter-commands.ts';
import { Editor } from '../operations/dead-letters/editor.ts';
import { Settler } from '../operations/dead-letters/settle.ts';
import { checkImport, importFile, type ImportRunner, previewImport } from '../operations/import/import-commands.ts';
import { importsFolderOf } from '../operations/import/import-request.ts';
import { verifyPeriod, type VerifyCommandParts } from '../operations/verify/verify-commands.ts';
import type { Command, CommandCall } from '../runtime/command.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { type AnyMethod, standInFor } from '../runtime/stand-in.ts';
import { LiveGenerations } from '../stores/generations/live-generations.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import { erasureCommands, erasureRequestsOn } from './erasures.ts';
import { ALL_STORES, WITHOUT_ANALYTICS } from './lazy-stores.ts';
import type { OpenedStores, StoreName } from './open-stores.ts';
import { replaysOn } from './readers/replays.ts';

/** What the operations of a process work with beside the stores. */
export interface Surroundings {
  readonly config: Config;
  readonly logger: Logger;
  /** Whether this process runs readers of its own. */
  readonly hasReaders: boolean;
  readonly importer: ImportRunner;
  readonly jobs: JobRunnerParts['jobs'];
  /** Notes that endpoints of webhooks are to be told where a verification found differences. */
  readonly tellDifference: VerifyCommandParts['tell'];
}

/** Opens the stores of these names, or has them open. @throws The reason of the signal once that is aborted. */
export type OpenStores = <Name extends StoreName>(
  names: readonly Name[],
  call?: Pick<CommandCall, 'signal'>,
) => Promise<Pick<OpenedStores, Name>>;

/** The stores of an operation are opened when it is carried out, and only those that it needs. */
export function operationsOn(surroundings: Surroundings, open: OpenStores): Operations & { readonly jobs: JobRunner } {
  const opened: OpenStores = async (names, call) => {
    const stores = await open(names);
    call?.signal.throwIfAborted();
    return stores;
  };
  const jobs = new JobRunner({ ...surroundings, commands: jobsOn(surroundings, opened) });
  return {
    jobs,
    erasures: erasureRequestsOn(opened, jobs, surroundings.logger),
    deadLetters: {
      list: async (selection) =>
        jobs.run('dead-letters list', async (call) =>
          listDeadLetters(await opened(WITHOUT_ANALYTICS, call), selection, call),
        ),
      show: async (id) =>
        jobs.run('dead-letters show', async (call) => showDeadLetter(await opened(WITHOUT_ANALYTICS, call), id, call)),
      edit: async (edit) => {
        const call = { report: () => undefined, signal: jobs.stopping };
        return new Editor(await opened(ALL_STORES, call)).edit(edit, call);
      },
    },
    generations: standInFor<Operations['generations']>(async (method, args) => {
      const replays = replaysOn(surroundings, await opened(ALL_STORES)) as unknown as Readonly<
        Record<string, AnyMethod>
      >;
      return replays[method]?.(...args);
    }),
    imports: {
      check: async (request) => checkImport(importPartsOf(surroundings, await opened(['database'])), request),
      preview: async (request) =>
        previewImport(importPartsOf(surroundings, await opened(['database'])), request, jobs.stopping),
    },
  };
}

/** What each kind of job does. */
function jobsOn(surroundings: Surroundings, opened: OpenStores): Readonly<Record<JobKind, Command>> {
  const replay =
    (step: 'build' | 'compare' | 'swap' | 'rollback' | 'drop'): Command =>
    async (args, call) =>
      replaysOn(surroundings, await opened(ALL_STORES, call))[step](args, call);
  return {
    'dead-letters replay': async (args, call) => new Settler(await opened(WITHOUT_ANALYTICS, call)).replay(args, call),
    'dead-letters drop': async (args, call) => new Settler(await opened(WITHOUT_ANALYTICS, call)).drop(args, call),
    'replay build': replay('build'),
    'replay compare': replay('compare'),
    'replay swap': replay('swap'),
    'replay rollback': replay('rollback'),
    'replay drop': replay('drop'),
    verify: async (args, call) => {
      const stores = await opened(ALL_STORES, call);
      const { config, tellDifference: tell } = surroundings;
      const parts = { ...stores, projects: new SqlProjectStore(stores.database), tell };
      return verifyPeriod({ ...parts, repeatWindowMs: config.repeatWindowMs }, args, call);
    },
    import: async (args, call) => {
      const { logger, importer } = surroundings;
      const { database, log } = await opened(WITHOUT_ANALYTICS, call);
      const guard = new LogGuard({ log, progress: new LiveGenerations(database), logger });
      const parts = { ...importPartsOf(surroundings, { database }), database, importer, checkLog: () => guard.check() };
      return importFile(parts, args, call);
    },
    backup: async (args, call) => {
      const stores = await opened(ALL_STORES, call);
      const { config, logger } = surroundings;
      const hasRegistry = config.schemaRegistryUrl !== undefined;
      return backUp({ ...stores, keep: config.backupKeep, hasRegistry, logger }, args, call);
    },
    ...erasureCommands(opened, importsFolderOf(surroundings.config.dataDir)),
  };
}

function importPartsOf({ config: { dataDir, importDir } }: Surroundings, { database }: Pick<OpenedStores, 'database'>) {
  return { folder: importsFolderOf(dataDir), importDir, projects: new SqlProjectStore(database) };
}
