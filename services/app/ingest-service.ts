/** The role `ingest`: the whole HTTP interface. It writes to the log and reads the stores, which may be unreachable. */
import { Registry } from 'prom-client';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { pagesOf } from '../api/console/console-files.ts';
import { bindServer } from '../http/starting.ts';
import { DeferredStores } from './deferred-stores.ts';
import { HttpSide } from './http-side.ts';
import type { Running } from './role.ts';

export interface IngestOptions {
  /** What `/metrics` answers where several processes answer as one; given the process' own registry. */
  readonly metricsOf?: (registry: Registry) => () => Promise<string>;
}

/**
 * Listens before its servers can be reached: `/healthz` answers, and messages get 503 until the log is open. Needs the log
 * and, for the keys, the profiles' database; it does not wait for analytics.
 */
export class IngestService implements Running {
  readonly address: string;
  readonly firstStart: FirstStart | undefined;
  readonly ended: Promise<never>;
  readonly #http: HttpSide;
  readonly #stores: DeferredStores;
  #stopping: Promise<void> | undefined;

  private constructor(http: HttpSide, stores: DeferredStores, firstStart: FirstStart | undefined) {
    this.address = http.address;
    this.#http = http;
    this.#stores = stores;
    this.firstStart = firstStart;
    this.ended = stores.failed;
  }

  /** Resolves once it can accept messages. @throws TidemarkError what permanently keeps it from doing so. */
  static async start(
    config: Config,
    logger: Logger,
    signal: AbortSignal,
    { metricsOf }: IngestOptions = {},
  ): Promise<IngestService> {
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
    try {
      logger.info({ address: http.address, role: 'ingest' }, 'starting');
      const firstStart = await Promise.race([stores.open(), stores.failed]);
      await http.refresh();
      return new IngestService(http, stores, firstStart);
    } catch (error) {
      await http.stop();
      await stores.close();
      throw error;
    }
  }

  projectNames(): Promise<readonly string[]> {
    return this.#stores.projectNames();
  }

  /** Stops accepting, finishes what was accepted, closes everything. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    // The streams of commands end with the commands.
    await Promise.all([this.#stores.stopCommands(), this.#http.stop()]);
    await this.#stores.close();
  }
}
