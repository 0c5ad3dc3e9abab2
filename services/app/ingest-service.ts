/** The role `ingest`: the whole HTTP interface. It writes to the log and reads the stores, which may be unreachable. */
import { Registry } from 'prom-client';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { pagesOf } from '../api/console/console-files.ts';
import { bindServer } from '../http/starting.ts';
import { DeferredStores } from './deferred-stores.ts';
import { HttpSide } from './http-side.ts';
import { onlyOnce, type Running } from './role.ts';

export interface IngestOptions {
  /** What `/metrics` answers where several processes answer as one; given the process' own registry. */
  readonly metricsOf?: (registry: Registry) => () => Promise<string>;
}

/**
 * Listens before its servers can be reached: `/healthz` answers, and messages get 503 until the log is open. Needs the log
 * and, for the keys, the profiles' database; it does not wait for analytics. Resolves once it can accept messages.
 *
 * @throws TidemarkError what permanently keeps it from doing so.
 */
export async function startIngest(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  { metricsOf }: IngestOptions = {},
): Promise<Running> {
  const bound = await bindServer(config, logger, pagesOf(config));
  const stores = new DeferredStores(config, logger, signal);
  const registry = new Registry();
  const metrics = metricsOf?.(registry);
  const http = await HttpSide.open({
    bound,
    config,
    logger,
    stores: stores.stores,
    storesAreOpen: false,
    role: 'ingest',
    log: stores.log,
    codec: stores.codec,
    registry,
    ...(metrics === undefined ? {} : { metrics }),
  });
  const { address } = http;
  const stop = onlyOnce(async () => {
    // The streams of commands end with the commands.
    await Promise.all([stores.stopCommands(), http.stop()]);
    await stores.close();
  });
  try {
    logger.info({ address, role: 'ingest' }, 'starting');
    const firstStart = await Promise.race([stores.open(), stores.failed]);
    await http.refresh();
    return { address, firstStart, ended: stores.failed, projectNames: () => stores.projectNames(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
