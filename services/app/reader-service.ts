/** The roles `projector` and `sink`, one reader in a process of its own, and `webhooks`, which reads no log. */
import { Registry } from 'prom-client';
import { createHttpServer } from '../http/app.ts';
import { describeProcess } from '../http/http-metrics.ts';
import { operationRoutes } from '../http/operations.ts';
import { RouteTable } from '../http/route-table.ts';
import { type HttpServer, urlOf } from '../http/server.ts';
import { JobRunner } from '../operations/jobs/job-runner.ts';
import { Schedule, scheduledVerification } from '../operations/jobs/schedule.ts';
import { SqlJobStore } from '../operations/jobs/sql-job-store.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { audienceSchedulerOf, livePartsOf } from './audience-parts.ts';
import { HealthWatch } from './health-watch.ts';
import { verifyOn } from './jobs.ts';
import { ALL_STORES, openStores, WITHOUT_ANALYTICS } from './lazy-stores.ts';
import { type ProcessParts, startParts } from './process-parts.ts';
import { obeyDeletions } from './projects.ts';
import { readerPartsOf } from './readers/reader-parts.ts';
import type { Running } from './role.ts';
import { processStoreOf, sharedStoresOn } from './stores.ts';
import { watchesOf } from './webhooks/watch-parts.ts';
import { startWebhooks, webhookDelivererOf } from './webhooks/webhook-parts.ts';

const FINISH_REQUESTS_MS = 2_000;

/**
 * Answers health, readiness and metrics over HTTP, from before its servers can be reached. Any number of such processes
 * share the partitions of the log, or the endpoints of webhooks.
 *
 * @throws TidemarkError what keeps a store from ever being opened; an Error where the port cannot be bound.
 */
export function startReader(
  role: keyof typeof STARTS,
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<Running> {
  return startParts(signal, async (parts) => {
    const opened: { health?: HealthWatch } = {};
    const server = serverOf(role, config, logger, parts, () => opened.health?.parts);
    const address = urlOf(await server.listen(config.host, config.port));
    await parts.start({ stop: () => server.close(FINISH_REQUESTS_MS) });
    logger.info({ address }, 'starting');
    const { ended, health } = await STARTS[role](parts, config, logger);
    opened.health = health;
    return { address, firstStart: undefined, ended, projectNames: async () => [] };
  });
}

interface StartedReaders {
  readonly ended: Running['ended'];
  readonly health: HealthWatch;
}

const STARTS = { projector: startProjector, sink: startSink, webhooks: startWebhooks };

async function startProjector(parts: ProcessParts, config: Config, logger: Logger): Promise<StartedReaders> {
  const stores = await openStores(parts, config, logger, WITHOUT_ANALYTICS);
  await obeyDeletions({ ...stores, logger }, parts.stopping);
  const processes = processStoreOf(config, stores.database);
  const { readers, parts: reading } = readerPartsOf('projector', { ...stores, config, logger }, processes);
  const health = new HealthWatch(readers, stores.log);
  await parts.start(...reading, health);
  return { ended: readers.failed, health };
}

async function startSink(parts: ProcessParts, config: Config, logger: Logger): Promise<StartedReaders> {
  const stores = await openStores(parts, config, logger, ALL_STORES);
  await obeyDeletions({ ...stores, logger }, parts.stopping);
  const shared = sharedStoresOn(config, stores);
  const live = await livePartsOf(config, logger, stores, shared);
  const watches = watchesOf(config, logger, stores, shared);
  const given = { ...stores, config, logger, follower: live.follower };
  const { readers, parts: reading } = readerPartsOf('sink', given, shared.processes);
  const health = new HealthWatch(readers, stores.log);
  await parts.start(
    ...live.parts,
    audienceSchedulerOf(config, logger, shared, { ...live, watches }),
    webhookDelivererOf(config, logger, shared, async () => stores.codec),
    // This is what ends an evaluation under way, and what is read for webhooks.
    { stop: () => stores.analytics.close() },
  );
  const verify = verifyOn({ config, logger }, async () => stores);
  const jobs = new JobRunner({ commands: { verify }, jobs: new SqlJobStore(stores.database), logger });
  const schedule = new Schedule({ entries: scheduledVerification(config.verifyEveryMs), jobs, logger });
  await parts.start(...reading, health, { stop: () => jobs.stop() }, schedule);
  return { ended: readers.failed, health };
}

function serverOf(
  role: string,
  { maxReceivingBytes, maxConnections, metricsKey }: Config,
  logger: Logger,
  parts: ProcessParts,
  states: () => HealthWatch['parts'] | undefined,
): HttpServer {
  const registry = new Registry();
  describeProcess(registry, role);
  const metrics = async (): Promise<string> => (await Promise.all([registry.metrics(), parts.metrics()])).join('');
  const table = new RouteTable([
    operationRoutes({
      readiness: () => {
        const all = states() ?? { reader: 'starting' };
        return { ready: Object.values(all).every((state) => state === 'ready'), parts: all };
      },
      metricsKey,
      registry: { contentType: registry.contentType, metrics },
    }),
  ]);
  // No route of these asks for a key.
  const keys = { find: () => undefined, findProject: () => undefined };
  return createHttpServer({ table, keys, registry, logger, maxReceivingBytes }, { maxConnections });
}
