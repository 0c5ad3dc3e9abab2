/** What operators do where no service runs: the same interface, in this process, on the stores that are asked for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { adminRoutes } from '../api/admin/routes.ts';
import { LocalServer } from '../http/local-server.ts';
import { RouteTable } from '../http/route-table.ts';
import { ChangesWatch } from '../api/audiences/changes-watch.ts';
import { ProgressWatch } from '../api/receipts/progress-watch.ts';
import { readingRoutes } from '../api/routes.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { ProjectCache } from '../stores/projects/project-cache.ts';
import { LazyStores } from './lazy-stores.ts';
import { StoreOpener } from './open-stores.ts';
import { audienceQueriesOf } from './audience-parts.ts';
import { compose, type Composition } from './composition.ts';

const FINISH_LOCAL_MS = 5_000;

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
  static async start(config: Config, logger: Logger): Promise<LocalService> {
    const parts = partsOf(config, logger);
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const socketPath = join(folder, 'control.sock');
    const { table, keys, stores } = parts;
    const { maxReceivingBytes } = config;
    const own = { table, keys, registry: new Registry(), logger, maxReceivingBytes };
    const server = await LocalServer.open({ ...own, audit: stores.audit, repeats: stores.repeats }, socketPath);
    return new LocalService(folder, socketPath, server, parts);
  }

  /** Aborts what is under way, and closes what was opened. */
  async close(): Promise<void> {
    const { jobs, keys, watch, changesWatch, lazy } = this.#parts;
    await Promise.all([jobs.stop(), this.#server.close(FINISH_LOCAL_MS)]);
    watch.stop();
    changesWatch.stop();
    await keys.stop();
    await lazy.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface ServiceParts extends Pick<Composition, 'jobs' | 'stores'> {
  readonly keys: ProjectCache;
  readonly watch: ProgressWatch;
  readonly changesWatch: ChangesWatch;
  readonly lazy: LazyStores;
  readonly table: RouteTable;
}

function partsOf(config: Config, logger: Logger): ServiceParts {
  const lazy = new LazyStores(new StoreOpener(config, logger, undefined), { opensOnCall: true });
  const readers = { health: async () => ({}), metrics: async () => '' };
  const composed = { database: lazy.standIn('database'), analytics: lazy.standIn('analytics') };
  const { stores, jobs } = compose({ config, logger, hasReaders: false, readers }, composed, (names) =>
    lazy.all(names),
  );
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
  const table = new RouteTable([adminRoutes({ ...stores, timezone: config.initialTimezone }), reading]);
  return { jobs, stores, keys: new ProjectCache(stores.projects, logger), watch, changesWatch, lazy, table };
}
