/** The roles `projector` and `sink`: one reader in a process of its own. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createHttpServer } from '../http/app.ts';
import { operationRoutes } from '../http/operations.ts';
import { RouteTable } from '../http/route-table.ts';
import { type HttpServer, urlOf } from '../http/server.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { HealthWatch } from './health-watch.ts';
import { ALL_STORES, openStores, WITHOUT_ANALYTICS } from './lazy-stores.ts';
import { obeyDeletions } from './projects.ts';
import { heartbeatOf, letterWatchOf, projectWriterOf, ReaderSide } from './reader-side.ts';
import { Readers } from './readers/readers.ts';
import { onlyOnce, type Running } from './role.ts';
import { audienceSchedulerOf } from './audiences/audience-parts.ts';
import { livePartsOf } from './audiences/live-parts.ts';
import { webhooksOf } from './webhooks/webhook-parts.ts';
import { processStoreOf } from './stores.ts';

const FINISH_REQUESTS_MS = 2_000;

/** The readers, once their stores are open, and the watch of their health. */
interface OpenedReaders {
  readonly side: ReaderSide;
  readonly health: HealthWatch;
}

/**
 * Answers health, readiness and metrics over HTTP, from before its servers can be reached. Any number of such processes
 * share the partitions of the log.
 *
 * @throws TidemarkError what keeps a store from ever being opened; an Error where the port cannot be bound.
 */
export async function startReader(
  role: 'projector' | 'sink',
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<Running> {
  let opened: OpenedReaders | undefined;
  const server = serverOf(config, logger, () => opened);
  const address = urlOf(await server.listen(config.host, config.port));
  try {
    logger.info({ address }, 'starting');
    opened = await (role === 'sink' ? openSink(config, logger, signal) : openProjector(config, logger, signal));
    const { side, health } = opened;
    await health.start();
    side.start();
    const stop = onlyOnce(async () => {
      health.stop();
      // Waits for the batch under way.
      await side.close();
      await server.close(FINISH_REQUESTS_MS);
    });
    return { address, firstStart: undefined, ended: side.readers.failed, projectNames: async () => [], stop };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}

async function openProjector(config: Config, logger: Logger, signal: AbortSignal): Promise<OpenedReaders> {
  const stores = await openStores(config, logger, signal, WITHOUT_ANALYTICS);
  await obeyDeletions({ ...stores, logger }, signal);
  const readers = Readers.projector({ ...stores, config, logger });
  const processes = processStoreOf(config, stores.database);
  const heartbeat = heartbeatOf('projector', readers, processes, logger);
  const projectWriter = projectWriterOf(stores, logger);
  return {
    side: new ReaderSide({ stores, readers, heartbeat, projectWriter }),
    health: new HealthWatch(readers, stores.log),
  };
}

async function openSink(config: Config, logger: Logger, signal: AbortSignal): Promise<OpenedReaders> {
  const stores = await openStores(config, logger, signal, ALL_STORES);
  await obeyDeletions({ ...stores, logger }, signal);
  const { live, follower, withMetrics } = livePartsOf(config, logger, stores);
  const readers = Readers.sink({ ...stores, config, logger, ...follower }, stores.analytics);
  const scheduler = audienceSchedulerOf(config, logger, stores, live);
  const { deliverer } = webhooksOf(config, logger, stores, async () => stores.codec);
  const letterWatch = letterWatchOf(stores, logger);
  const heartbeat = heartbeatOf('sink', readers, processStoreOf(config, stores.database), logger);
  return {
    side: new ReaderSide({ stores, readers, scheduler, deliverer, letterWatch, heartbeat, withMetrics, ...live }),
    health: new HealthWatch(readers, stores.log),
  };
}

function serverOf(
  { maxReceivingBytes, maxConnections, metricsKey }: Config,
  logger: Logger,
  opened: () => OpenedReaders | undefined,
): HttpServer {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = async (): Promise<string> => {
    const [own, theirs] = await Promise.all([registry.metrics(), opened()?.side.metrics() ?? '']);
    return `${own}${theirs}`;
  };
  const table = new RouteTable([
    operationRoutes({
      readiness: () => {
        const parts = opened()?.health.parts ?? { reader: 'starting' };
        return { ready: Object.values(parts).every((state) => state === 'ready'), parts };
      },
      metricsKey,
      registry: { contentType: registry.contentType, metrics },
    }),
  ]);
  // No route of these asks for a key.
  const keys = { find: () => undefined, findProject: () => undefined };
  return createHttpServer({ table, keys, registry, logger, maxReceivingBytes }, { maxConnections });
}
