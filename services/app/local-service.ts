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
import { audienceQueriesOf } from './audience-parts.ts';
import { compose, type Composition } from './composition.ts';

const FINISH_LOCAL_MS = 5_000;

/** Where its log lines go, and those of its threads. */
type Output = Pick<OpenedLogger, 'logger' | 'line'>;

export class LocalService {
  /** The socket that it answers on, in a folder that only its owner can enter. */
  readonly socketPath: string;
  readonly #folder: string;
  readonly #server: LocalServer;
  readonly #parts: ServiceParts;

  private constructor(folder: string, socketPath: string, server: LocalServer, parts: ServiceParts) {
    this.socketPath = socketPath;
    this.#folder = folder;
    this.#server = server;
    this.#parts = parts;
  }

  /** Opens no store: a request opens those that it needs. */
  static async start(config: Config, output: Output): Promise<LocalService> {
    const parts = partsOf(config, output);
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const socketPath = join(folder, 'control.sock');
    const { table, keys, stores } = parts;
    const { maxReceivingBytes } = config;
    const own = { table, keys, registry: new Registry(), logger: output.logger, maxReceivingBytes };
    const server = await LocalServer.open({ ...own, audit: stores.audit, repeats: stores.repeats }, socketPath);
    return new LocalService(folder, socketPath, server, parts);
  }

  /** Aborts what is under way, and closes what was opened. */
  async close(): Promise<void> {
    const { jobs, keys, watch, changesWatch, uploads, lazy } = this.#parts;
    await Promise.all([jobs.stop(), this.#server.close(FINISH_LOCAL_MS)]);
    watch.stop();
    changesWatch.stop();
    uploads.close();
    await keys.stop();
    await lazy.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface ServiceParts extends Pick<Composition, 'jobs' | 'stores'> {
  readonly keys: ProjectCache;
  readonly watch: ProgressWatch;
  readonly changesWatch: ChangesWatch;
  readonly uploads: UploadedFiles;
  readonly lazy: LazyStores;
  readonly table: RouteTable;
}

function partsOf(config: Config, { logger, line }: Output): ServiceParts {
  const lazy = new LazyStores(new StoreOpener(config, logger, undefined), { opensOnCall: true });
  const readers = { health: async () => ({}), metrics: async () => '' };
  const composed = { database: lazy.standIn('database'), analytics: lazy.standIn('analytics') };
  const importer = new ImportQueue(importThreads(config, line));
  const own = { config, logger, hasReaders: false, importer, readers };
  const { stores, jobs } = compose(own, composed, (names) => lazy.all(names));
  const watch = new ProgressWatch(stores.progress);
  const changesWatch = new ChangesWatch(stores.saved);
  const reading = readingRoutes({
    ...stores,
    ...audienceQueriesOf(config, stores.analytics),
    watch,
    changesWatch,
    log: lazy.standIn('log'),
    codec: lazy.standIn('codec'),
  });
  const uploads = new UploadedFiles(importsFolderOf(config.dataDir));
  const table = new RouteTable([
    adminRoutes({ ...stores, timezone: config.initialTimezone }),
    importRoutes({ ...stores, files: uploads, takesFiles: true }),
    reading,
  ]);
  const keys = new ProjectCache(stores.projects, logger);
  return { jobs, stores, keys, watch, changesWatch, uploads, lazy, table };
}
