/** The role ingest: the whole HTTP interface, writing to the log and reading the stores, which may be away. */
import { Registry } from 'prom-client';
import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import { SqlAudienceStore } from '../audience/saved/sql-audience-store.ts';
import type { Database } from '../stores/database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { liveStores } from '../stores/generations/live-stores.ts';
import type { Codec } from '../messages/codec.ts';
import type { Message } from '../messages/message.ts';
import { type FirstStart, makeFirstProject } from '../stores/projects/first-start.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import type { Config } from '../runtime/config.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { bindServer } from './bound-server.ts';
import { HttpSide } from './http-side.ts';
import { audienceSchedulerOf } from './audience-scheduler-of.ts';
import { Deferred } from './deferred.ts';
import { closeStores, StoreOpener } from './open-stores.ts';
import { statesOf } from './readers.ts';
import type { Running } from './running.ts';
import { firstStartOptionsOf, otherStartsOf } from './service.ts';
import type { Stores } from './stores.ts';

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
  readonly #background: Background;
  #stopping: Promise<void> | undefined;

  private constructor(http: HttpSide, background: Background, firstStart: FirstStart | undefined) {
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
    const background = new Background(config, logger, signal);
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

/** Log and stores, each opened as soon as its server is there. */
class Background {
  readonly log = new Deferred<EventLog>('the event log', 'LOG_UNAVAILABLE');
  /** Rejects when one of them can never be opened. */
  readonly failed: Promise<never>;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #opener: StoreOpener;
  readonly #stopping = new AbortController();
  readonly #fail: (error: unknown) => void;
  readonly #database = new Deferred<Database>('the database of profiles', 'STORE_UNAVAILABLE');
  readonly #analytics = new Deferred<AnalyticsStore>('analytics', 'STORE_UNAVAILABLE');
  #codec: Codec | undefined;
  #opening: Promise<unknown> | undefined;

  constructor(config: Config, logger: Logger, signal: AbortSignal) {
    this.#config = config;
    this.#logger = logger;
    this.#opener = new StoreOpener(config, logger, AbortSignal.any([signal, this.#stopping.signal]));
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
  }

  get stores(): Stores {
    const database = this.#database.standIn;
    const analytics = this.#analytics.standIn;
    return {
      ...liveStores(database, analytics),
      projects: new SqlProjectStore(database),
      readers: {
        health: () => statesOf(database, analytics),
        metrics: async () => '',
      },
      saved: new SqlAudienceStore(database, this.#config.maxProjectAudiences),
      evaluator: audienceSchedulerOf(this.#config, this.#logger, { database, analytics }),
    };
  }

  encode(message: Message): Uint8Array {
    if (this.#codec === undefined) throw new TidemarkError('LOG_UNAVAILABLE', 'the schemas are not known yet');
    return this.#codec.encode(message);
  }

  /** Resolves once messages can be accepted; goes on with analytics. */
  async open(): Promise<FirstStart | undefined> {
    const database = this.#opener.database();
    const analytics = this.#opener.analytics(database).then((store) => this.#analytics.set(store));
    analytics.catch((error: unknown) => this.#fail(error));
    const log = this.#opener.log().then((opened) => this.log.set(opened));
    log.catch((error: unknown) => this.#fail(error));
    const needed = Promise.all([
      // With a spool, messages can be accepted before the log is there.
      this.#config.spoolDir === undefined ? log : undefined,
      this.#opener.codec().then((codec) => (this.#codec = codec)),
      database.then((opened) => this.#database.set(opened)),
    ]);
    this.#opening = Promise.allSettled([needed, log, analytics]);
    await needed;
    const projects = new SqlProjectStore(await database);
    return makeFirstProject(projects, firstStartOptionsOf(this.#config), otherStartsOf(this.#config));
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#opening;
    const [log, database, analytics] = [this.log.opened, this.#database.opened, this.#analytics.opened];
    await closeStores({
      ...(log === undefined ? {} : { log }),
      ...(database === undefined ? {} : { database }),
      ...(analytics === undefined ? {} : { analytics }),
    });
  }
}
