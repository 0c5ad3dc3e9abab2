/** What operators do where no service runs: the same interface, in this process, on the stores that a request needs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { UploadedFiles } from '../api/admin/imports/uploaded-files.ts';
import { ChangesWatch } from '../api/audiences/changes-watch.ts';
import { ProgressWatch } from '../api/receipts/progress-watch.ts';
import { LocalServer } from '../http/local-server.ts';
import { RouteTable } from '../http/route-table.ts';
import { importsFolderOf } from '../operations/import/import-request.ts';
import type { Config } from '../runtime/config.ts';
import type { OpenedLogger } from '../runtime/logger.ts';
import { ProjectCache } from '../stores/projects/project-cache.ts';
import { compose } from './composition.ts';
import { interfaceRoutes } from './interface-routes.ts';
import { ImportQueue, importThreads } from './imports/import-thread.ts';
import { LazyStores } from './lazy-stores.ts';
import { StoreOpener } from './open-stores.ts';
import { startParts } from './process-parts.ts';
import { sharedStoresOn } from './stores.ts';

const FINISH_LOCAL_MS = 5_000;

export interface LocalService {
  /** The socket that it answers on, in a folder that only its owner can enter. */
  readonly socketPath: string;
  /** Aborts what is under way, and closes what was opened. */
  stop(): Promise<void>;
}

/**
 * Opens no store: a request opens those that it needs.
 *
 * @param output Where its log lines go, and those of its threads.
 */
export function startLocalService(
  config: Config,
  { logger, line }: Pick<OpenedLogger, 'logger' | 'line'>,
): Promise<LocalService> {
  return startParts(undefined, async (parts) => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    await parts.start({ stop: () => rm(folder, { recursive: true, force: true }) });
    const lazy = new LazyStores(new StoreOpener(config, logger, undefined), { opensOnCall: true });
    await parts.start({ stop: () => lazy.close() });
    const shared = sharedStoresOn(config, lazy.standIns);
    const readers = { health: async () => ({}), metrics: async () => '' };
    const importer = new ImportQueue(importThreads(config, line));
    const own = { config, logger, hasReaders: false, importer, readers };
    const { stores, jobs, deliverer } = compose(own, shared, (names) => lazy.all(names));
    const uploads = new UploadedFiles(importsFolderOf(config.dataDir));
    const watches = { watch: new ProgressWatch(stores.progress), changesWatch: new ChangesWatch(stores.saved) };
    const keys = new ProjectCache(stores.projects, logger);
    const table = new RouteTable(interfaceRoutes({ ...lazy.standIns, config, stores, watches, uploads }, true));
    const ending = [deliverer, keys, ...Object.values(watches)];
    await parts.start(...ending.map((part) => ({ stop: () => part.stop() })), { stop: () => uploads.close() });
    const { audit, repeats } = stores;
    const { maxReceivingBytes } = config;
    const app = { table, keys, registry: new Registry(), logger, maxReceivingBytes, audit, repeats };
    const socketPath = join(folder, 'control.sock');
    const server = await LocalServer.open(app, socketPath);
    await parts.start({ stop: () => jobs.stop() }, { stop: () => server.close(FINISH_LOCAL_MS) });
    return { socketPath };
  });
}
