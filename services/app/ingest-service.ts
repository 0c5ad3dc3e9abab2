/** The role ingest: the whole HTTP interface, writing to the log and reading the stores, which may be away. */
import { Registry } from 'prom-client';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { bindServer } from '../http/starting.ts';
import { DeferredStores } from './deferred-stores.ts';
import { HttpSide } from './http-side.ts';
import type { Running } from './role.ts';

export interface IngestOptions {
  /** What `/metrics` answers where several processes answer as one; given this process' own registry. */
  readonly metricsOf?: (registry: Registry) => () => Promise<string>;
}

/**
 * Listens before its servers are there: `/healthz` answers, and messages get 503 until the log is. Needs the log and, for
 * the keys, the profiles' database; nothing of it waits for analytics.
 */
export class IngestService implements Running {
  readonly address: string;
  readonly firstStart: FirstStart | undefined;
  readonly ended: Promise<never>;
  readonly #http: HttpSide;
  readonly #background: DeferredStores;
  #stopping: Promise<void> | undefined;

  private constructor(http: HttpSide, background: DeferredStores, firstStart: FirstStart | undefined) {
    this.address = http.address;
    this.#http = http;
    this.#background = background;
    this.firstStart = firstStart;
    this.ended = background.failed;
  }

  /** Resolves once it can accept messages. @throws TidemarkError what keeps it from ever doing so. */
  static async start(
    config: Config,
    logger: Logger,
    signal: AbortSignal,
    { metricsOf }: IngestOptions = {},
  ): Promise<IngestService> {
    const bound = await bindServer(config, logger);
    const background = new DeferredStores(config, logger, signal);
    const registry = new Registry();
    const metrics = metricsOf?.(registry);
    const http = await HttpSide.open({
      bound,
      config,
      logger,
      stores: background.stores,
      storesAreOpen: false,
      log: background.log.standIn,
      codec: { encode: (message) => background.encode(message) },
      registry,
      ...(metrics === undefined ? {} : { metrics }),
    });
    try {
      logger.info({ address: http.address, role: 'ingest' }, 'starting');
      const firstStart = await Promise.race([background.open(), background.failed]);
      await http.refresh();
      return new IngestService(http, background, firstStart);
    } catch (error) {
      await http.stop();
      await background.close();
      throw error;
    }
  }

  /** Stops accepting, finishes what was accepted, closes everything. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.#http.stop();
    await this.#background.close();
  }
}
