/** What operators do where no service runs: the same interface, in this process, on the stores that are asked for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { JobRunner } from '../operations/jobs/job-runner.ts';
import { SqlJobStore } from '../operations/jobs/sql-job-store.ts';
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
import { operationsOn } from './operations.ts';
import { audienceQueriesOf, audienceSchedulerOf } from './audience-parts.ts';
import { type Stores, processStoreOf, storesOf } from './stores.ts';

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
    const { table, keys, audit, repeats } = parts;
    const { maxReceivingBytes } = config;
    const registry = new Registry();
    const server = await LocalServer.open(
      { table, keys, registry, logger, maxReceivingBytes, audit, repeats },
      socketPath,
    );
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

interface ServiceParts {
  readonly jobs: JobRunner;
  readonly keys: ProjectCache;
  readonly watch: ProgressWatch;
  readonly changesWatch: ChangesWatch;
  readonly lazy: LazyStores;
  readonly table: RouteTable;
  readonly audit: Stores['audit'];
  readonly repeats: Stores['repeats'];
}

function partsOf(config: Config, logger: Logger): ServiceParts {
  const lazy = new LazyStores(new StoreOpener(config, logger, undefined), { opensOnCall: true });
  const database = lazy.standIn('database');
  const analytics = lazy.standIn('analytics');
  const surroundings = { config, logger, hasReaders: false, jobs: new SqlJobStore(database) };
  const operations = operationsOn(surroundings, (needs) => lazy.all(needs));
  const evaluator = audienceSchedulerOf(config, logger, { database, analytics });
  const readers = { health: async () => ({}), metrics: async () => '' };
  const processes = processStoreOf(config, database);
  const stores = storesOf(config, { database, analytics }, { readers, evaluator, processes, ...operations });
  const watch = new ProgressWatch(stores.progress);
  const changesWatch = new ChangesWatch(stores.saved);
  const keys = new ProjectCache(stores.projects, logger);
  const log = lazy.standIn('log');
  const codec = lazy.standIn('codec');
  const reading = readingRoutes({
    ...stores,
    watch,
    changesWatch,
    log,
    codec,
    ...audienceQueriesOf(config, stores.analytics),
  });
  return {
    jobs: operations.jobs,
    keys,
    watch,
    changesWatch,
    lazy,
    table: new RouteTable([adminRoutes({ ...stores, timezone: config.initialTimezone }), reading]),
    audit: stores.audit,
    repeats: stores.repeats,
  };
}
