/** What operators do where no service runs: the same interface, in this process, on the stores that a request needs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { importRoutes } from '../api/admin/imports/import-routes.ts';
import { UploadedFiles } from '../api/admin/imports/uploaded-files.ts';
import { adminRoutes } from '../api/admin/routes.ts';
import { LocalServer } from '../http/local-server.ts';
import { RouteTable } from '../http/route-table.ts';
import { ChangesWatch } from '../api/audiences/changes-watch.ts';
import { ProgressWatch } from '../api/receipts/progress-watch.ts';
import { readingRoutes } from '../api/routes.ts';
import type { Config } from '../runtime/config.ts';
import type { OpenedLogger } from '../runtime/logger.ts';
import { ProjectCache } from '../stores/projects/project-cache.ts';
import { importsFolderOf } from '../operations/import/import-request.ts';
import { ImportQueue, importThreads } from './imports/import-thread.ts';
import { LazyStores } from './lazy-stores.ts';
import { StoreOpener } from './open-stores.ts';
import { projectLimitsOf } from './audiences/audience-parts.ts';
import { compose } from './composition.ts';
import { endpointTargetsOf } from './webhooks/webhook-parts.ts';

const FINISH_LOCAL_MS = 5_000;

export interface LocalService {
  /** The socket that it answers on, in a folder that only its owner can enter. */
  readonly socketPath: string;
  /** Aborts what is under way, and closes what was opened. */
  close(): Promise<void>;
}

/**
 * Opens no store: a request opens those that it needs.
 *
 * @param output Where its log lines go, and those of its threads.
 */
export async function startLocalService(
  config: Config,
  { logger, line }: Pick<OpenedLogger, 'logger' | 'line'>,
): Promise<LocalService> {
  const { dataDir, initialTimezone: timezone, maxReceivingBytes } = config;
  const lazy = new LazyStores(new StoreOpener(config, logger, undefined), { opensOnCall: true });
  const [log, codec] = [lazy.standIn('log'), lazy.standIn('codec')];
  const [database, analytics] = [lazy.standIn('database'), lazy.standIn('analytics')];
  const readers = { health: async () => ({}), metrics: async () => '' };
  const importer = new ImportQueue(importThreads(config, line));
  const parts = { config, logger, hasReaders: false, importer, readers };
  const { stores, jobs, deliverer } = compose(parts, { database, analytics }, (names) => lazy.all(names));
  const files = new UploadedFiles(importsFolderOf(dataDir));
  const [watch, changesWatch] = [new ProgressWatch(stores.progress), new ChangesWatch(stores.saved)];
  const keys = new ProjectCache(stores.projects, logger);
  const table = new RouteTable([
    adminRoutes({ ...stores, timezone, schedule: { folder: config.backupDir, everyMs: config.backupEveryMs } }),
    importRoutes({ ...stores, files, takesFiles: true }),
    readingRoutes({
      ...stores,
      limitsOf: projectLimitsOf(config),
      ...endpointTargetsOf(config),
      watch,
      changesWatch,
      log,
      codec,
    }),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  const socketPath = join(folder, 'control.sock');
  const { audit, repeats } = stores;
  const app = { table, keys, registry: new Registry(), logger, maxReceivingBytes, audit, repeats };
  const server = await LocalServer.open(app, socketPath);
  const close = async (): Promise<void> => {
    await Promise.all([jobs.stop(), server.close(FINISH_LOCAL_MS)]);
    await deliverer.stop();
    watch.stop();
    changesWatch.stop();
    files.close();
    await keys.stop();
    await lazy.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { socketPath, close };
}
