import { eraseUnfinished } from '../admin/project-deletion.ts';
import { SqlJobStore } from '../admin/jobs/sql-job-store.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Config } from '../runtime/config.ts';
import { type ErrorCode, TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { standInFor } from '../runtime/stand-in.ts';
import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import type { Database } from '../stores/database/database.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { ImportQueue, importThreads } from './imports/import-thread.ts';
import { closeStores, type OpenedStores, StoreOpener } from './open-stores.ts';
import { operationsOn, type StoreName } from './operations.ts';
import { ensureFirstProject, makeFirst, projectNamesIn } from './projects.ts';
import { statesOf } from './readers/readers.ts';
import { audienceSchedulerOf } from './audience-parts.ts';
import { processStoreOf, type ReadersHealth, type Stores, storesOf } from './stores.ts';

/** The log and the stores, each opened in the background as soon as its server can be reached. */
export class DeferredStores {
  readonly log = new Deferred<EventLog>('the event log', 'LOG_UNAVAILABLE');
  /** Rejects when one of them can never be opened. */
  readonly failed: Promise<never>;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #opener: StoreOpener;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  readonly #fail: (error: unknown) => void;
  readonly #database = new Deferred<Database>('the database of profiles', 'STORE_UNAVAILABLE');
  readonly #analytics = new Deferred<AnalyticsStore>('analytics', 'STORE_UNAVAILABLE');
  readonly #operations: ReturnType<typeof operationsOn>;
  #codec: Codec | undefined;
  #opening: Promise<unknown> | undefined;
  #analyticsOpening: Promise<unknown> | undefined;

  constructor(config: Config, logger: Logger, signal: AbortSignal) {
    this.#config = config;
    this.#logger = logger;
    this.#signal = AbortSignal.any([signal, this.#stopping.signal]);
    this.#opener = new StoreOpener(config, logger, this.#signal);
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    // Its stores are on servers: the processes of the readers read them.
    const importer = new ImportQueue(importThreads(config));
    const jobs = new SqlJobStore(this.#database.standIn);
    const surroundings = { config, logger, hasReaders: true, importer, jobs };
    this.#operations = operationsOn(surroundings, (needs) => this.#openedOf(needs));
  }

  get stores(): Stores {
    const database = this.#database.standIn;
    const analytics = this.#analytics.standIn;
    const readers: ReadersHealth = { health: () => statesOf(database, analytics), metrics: async () => '' };
    const evaluator = audienceSchedulerOf(this.#config, this.#logger, { database, analytics });
    const processes = processStoreOf(this.#config, database);
    return storesOf(this.#config, { database, analytics }, { readers, evaluator, processes, ...this.#operations });
  }

  /** Those of these names, opened. @throws TidemarkError `LOG_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
  async #openedOf(needs: readonly StoreName[]): Promise<Partial<OpenedStores>> {
    return {
      ...(needs.includes('log') && { log: this.log.openedOrThrow() }),
      ...(needs.includes('codec') && { codec: this.#loadedCodec }),
      ...(needs.includes('database') && { database: this.#database.openedOrThrow() }),
      ...(needs.includes('analytics') && { analytics: this.#analytics.openedOrThrow() }),
    };
  }

  /** Until the schemas are loaded, every call throws `LOG_UNAVAILABLE`. */
  get codec(): Pick<Codec, 'encode' | 'schemaIds' | 'decode' | 'prepare' | 'decodeDeadLetter'> {
    return {
      encode: (message, topic) => this.#loadedCodec.encode(message, topic),
      schemaIds: () => this.#loadedCodec.schemaIds(),
      decode: (topic, value) => this.#loadedCodec.decode(topic, value),
      decodeDeadLetter: (value) => this.#loadedCodec.decodeDeadLetter(value),
      prepare: async (values) => this.#loadedCodec.prepare(values),
    };
  }

  get #loadedCodec(): Codec {
    if (this.#codec === undefined) throw new TidemarkError('LOG_UNAVAILABLE', 'the schemas are not loaded yet');
    return this.#codec;
  }

  /** Resolves once messages can be accepted; analytics may still be opening. */
  async open(): Promise<FirstStart | undefined> {
    const database = this.#opener.database();
    const analytics = this.#opener.analytics(database).then((store) => this.#analytics.set(store));
    analytics.catch((error: unknown) => this.#fail(error));
    this.#analyticsOpening = analytics;
    const log = this.#opener.log().then((opened) => this.log.set(opened));
    log.catch((error: unknown) => this.#fail(error));
    const needed = Promise.all([
      // With a spool, messages can be accepted before the log is open.
      this.#config.spoolDir === undefined ? log : undefined,
      this.#opener.codec().then((codec) => (this.#codec = codec)),
      database.then((opened) => this.#database.set(opened)),
    ]);
    this.#opening = Promise.allSettled([needed, log, analytics]);
    await needed;
    if (this.log.opened === undefined && (await projectNamesIn(await database)).length > 0) {
      // Messages wait in the spool meanwhile.
      this.#eraseAfter(log.then(() => this.#ensureFirstProject()));
      return makeFirst(this.#config, await database);
    }
    const ensured = log.then(() => this.#ensureFirstProject());
    this.#eraseAfter(ensured);
    return ensured;
  }

  /** What is left of deleted projects, once these are known and analytics is open. */
  #eraseAfter(ensured: Promise<unknown>): void {
    const opened = Promise.all([ensured, this.#analyticsOpening]);
    const erase = () => eraseUnfinished(this.#operations.jobs, this.#database.openedOrThrow(), this.#logger);
    void opened.then(erase).catch((error: unknown) => this.#fail(error));
  }

  async #ensureFirstProject(): Promise<FirstStart | undefined> {
    const [log, codec, database] = [this.log.openedOrThrow(), this.#loadedCodec, this.#database.openedOrThrow()];
    return ensureFirstProject(this.#config, { log, codec, database, logger: this.#logger }, this.#signal);
  }

  projectNames(): Promise<readonly string[]> {
    return projectNamesIn(this.#database.standIn);
  }

  /** Ends what operators have under way, and takes no more of it. */
  stopCommands(): Promise<void> {
    return this.#operations.jobs.stop();
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

/** Something that is opened in the background, with a stand-in that can be used before. */
export class Deferred<T extends object> {
  /** Has the methods of what is opened. Until then every call rejects with the error code. See `standInFor`. */
  readonly standIn: T;
  readonly #unopened: () => TidemarkError;
  #opened: T | undefined;

  /** @param what Its name in the errors: `the event log`. */
  constructor(what: string, code: ErrorCode) {
    this.#unopened = () => new TidemarkError(code, `${what} is not open yet`);
    this.standIn = standInFor<T>((method, args) => {
      const opened = this.#opened as Record<string, (...args: readonly unknown[]) => unknown> | undefined;
      if (opened === undefined) return Promise.reject(this.#unopened());
      return opened[method]?.(...args);
    });
  }

  /** @throws TidemarkError of the error code until it is opened. */
  openedOrThrow(): T {
    if (this.#opened === undefined) throw this.#unopened();
    return this.#opened;
  }

  get opened(): T | undefined {
    return this.#opened;
  }

  set(opened: T): void {
    this.#opened = opened;
  }
}
