import { collectDefaultMetrics, Registry } from 'prom-client';
import { createHttpServer } from '../http/create-server.ts';
import { operationRoutes } from '../http/operations.ts';
import { RouteTable } from '../http/route-table.ts';
import { type HttpServer, urlOf } from '../http/server.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { HealthWatch } from './health-watch.ts';
import { closeStores, openStores, openStoresWithoutAnalytics } from './open-stores.ts';
import { Readers } from './readers/readers.ts';
import type { Running } from './role.ts';
import { audienceSchedulerOf } from './stores.ts';

const FINISH_REQUESTS_MS = 2_000;

/** The readers once their stores are open, with what closes both. */
interface Opened {
  readonly readers: Readers;
  readonly health: HealthWatch;
  readonly close: () => Promise<void>;
}

/**
 * One reader in a process of its own, with health, readiness and metrics over HTTP, from before its servers are there.
 * Any number of them share the partitions of the log.
 */
export class ReaderService implements Running {
  readonly firstStart = undefined;
  readonly address: string;
  readonly ended: Promise<never>;
  readonly #server: HttpServer;
  readonly #opened: Opened;
  #stopping: Promise<void> | undefined;

  private constructor(server: HttpServer, address: string, opened: Opened) {
    this.#server = server;
    this.address = address;
    this.#opened = opened;
    this.ended = opened.readers.failed;
  }

  /** @throws TidemarkError what keeps a store from being opened, for good; an Error where the port cannot be had. */
  static async start(
    role: 'projector' | 'sink',
    config: Config,
    logger: Logger,
    signal: AbortSignal,
  ): Promise<ReaderService> {
    let opened: Opened | undefined;
    const server = serverOf(config, logger, () => opened);
    const url = urlOf(await server.listen(config.host, config.port));
    try {
      logger.info({ address: url }, 'starting');
      opened = await (role === 'sink' ? openSink(config, logger, signal) : openProjector(config, logger, signal));
      await opened.health.start();
      opened.readers.start();
      return new ReaderService(server, url, opened);
    } catch (error) {
      await server.close(0);
      throw error;
    }
  }

  /** Waits for the batch under way. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.#opened.close();
    await this.#server.close(FINISH_REQUESTS_MS);
  }
}

async function openProjector(config: Config, logger: Logger, signal: AbortSignal): Promise<Opened> {
  const stores = await openStoresWithoutAnalytics(config, logger, signal);
  return openedOf(Readers.projector({ ...stores, config, logger }), stores);
}

async function openSink(config: Config, logger: Logger, signal: AbortSignal): Promise<Opened> {
  const stores = await openStores(config, logger, signal);
  const keeper = audienceSchedulerOf(config, logger, stores);
  keeper.start();
  const opened = openedOf(Readers.sink({ ...stores, config, logger }, stores.analytics), stores);
  const close = async (): Promise<void> => {
    const kept = keeper.stop();
    await opened.readers.stop();
    // Ends an evaluation under way, which is not waited for.
    await stores.analytics.close();
    await kept;
    await opened.close();
  };
  return { ...opened, close };
}

function openedOf(readers: Readers, stores: Parameters<typeof closeStores>[0] & { readonly log: HealthLog }): Opened {
  const health = new HealthWatch(readers, stores.log);
  const close = async (): Promise<void> => {
    health.stop();
    await readers.stop();
    await closeStores(stores);
  };
  return { readers, health, close };
}

type HealthLog = ConstructorParameters<typeof HealthWatch>[1];

function serverOf(
  { maxReceivingBytes, maxConnections }: Config,
  logger: Logger,
  opened: () => Opened | undefined,
): HttpServer {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = async (): Promise<string> => {
    const [own, theirs] = await Promise.all([registry.metrics(), opened()?.readers.metrics() ?? '']);
    return `${own}${theirs}`;
  };
  const table = new RouteTable([
    operationRoutes({
      readiness: () => {
        const parts = opened()?.health.parts ?? { reader: 'starting' };
        return { ready: Object.values(parts).every((state) => state === 'ready'), parts };
      },
      registry: { contentType: registry.contentType, metrics },
    }),
  ]);
  // No route of these asks for a key.
  const keys = { find: () => undefined };
  return createHttpServer({ table, keys, registry, logger, maxReceivingBytes }, { maxConnections });
}
