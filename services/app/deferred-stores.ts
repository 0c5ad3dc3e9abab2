import { eraseUnfinished } from '../api/admin/project-deletion.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { compose, type Composition } from './composition.ts';
import { ImportQueue, importThreads } from './imports/import-thread.ts';
import { LazyStores } from './lazy-stores.ts';
import { StoreOpener } from './open-stores.ts';
import { ensureFirstProject, makeFirst, projectNamesIn } from './projects.ts';
import { statesOf } from './readers/readers.ts';
import type { Stores } from './stores.ts';

/** The log and the stores, each opened in the background as soon as its server can be reached. */
export class DeferredStores {
  readonly log: EventLog;
  /** Rejects when one of them can never be opened. */
  readonly failed: Promise<never>;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #lazy: LazyStores;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  readonly #fail: (error: unknown) => void;
  readonly #composition: Composition;

  constructor(config: Config, logger: Logger, signal: AbortSignal) {
    this.#config = config;
    this.#logger = logger;
    this.#signal = AbortSignal.any([signal, this.#stopping.signal]);
    this.#lazy = new LazyStores(new StoreOpener(config, logger, this.#signal), { opensOnCall: false });
    this.log = this.#lazy.standIn('log');
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    const [database, analytics] = [this.#lazy.standIn('database'), this.#lazy.standIn('analytics')];
    // Its stores are on servers: the processes of the readers read them.
    const readers = { health: () => statesOf(database, analytics), metrics: async () => '' };
    const importer = new ImportQueue(importThreads(config));
    const parts = { config, logger, hasReaders: true, importer, readers };
    this.#composition = compose(parts, { database, analytics }, (names) => this.#lazy.all(names));
  }

  get stores(): Stores {
    return this.#composition.stores;
  }

  /** Until the schemas are loaded, every call throws `LOG_UNAVAILABLE`. */
  get codec(): Pick<Codec, 'encode' | 'schemaIds' | 'decode' | 'prepare' | 'decodeDeadLetter'> {
    return {
      encode: (message, topic) => this.#codec.encode(message, topic),
      schemaIds: () => this.#codec.schemaIds(),
      decode: (topic, value) => this.#codec.decode(topic, value),
      decodeDeadLetter: (value) => this.#codec.decodeDeadLetter(value),
      prepare: async (values) => this.#codec.prepare(values),
    };
  }

  get #codec(): Codec {
    return this.#lazy.openedOrThrow('codec');
  }

  /** Resolves once messages can be accepted; analytics may still be opening. */
  async open(): Promise<FirstStart | undefined> {
    const [database, log] = [this.#lazy.open('database'), this.#lazy.open('log')];
    Promise.all([log, this.#lazy.open('analytics')]).catch((error: unknown) => this.#fail(error));
    // With a spool, messages can be accepted before the log is open.
    const needed = this.#config.spoolDir === undefined ? log : undefined;
    await Promise.all([needed, this.#lazy.open('codec'), database]);
    if (this.#lazy.opened('log') === undefined && (await projectNamesIn(await database)).length > 0) {
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
    const opened = Promise.all([ensured, this.#lazy.open('analytics')]);
    const { jobs, backups, erasures } = this.#composition;
    const erase = () => eraseUnfinished(jobs, this.#lazy.openedOrThrow('database'), this.#logger);
    void opened
      .then(() => {
        if (!this.#signal.aborted) {
          backups.start();
          erasures.start();
        }
        return erase();
      })
      .catch((error: unknown) => this.#fail(error));
  }

  async #ensureFirstProject(): Promise<FirstStart | undefined> {
    const [log, database] = [this.#lazy.openedOrThrow('log'), this.#lazy.openedOrThrow('database')];
    return ensureFirstProject(this.#config, { log, codec: this.#codec, database, logger: this.#logger }, this.#signal);
  }

  projectNames(): Promise<readonly string[]> {
    return projectNamesIn(this.#lazy.standIn('database'));
  }

  /** Ends what operators have under way, and takes no more of it. */
  async stopCommands(): Promise<void> {
    await Promise.all([this.#composition.backups.stop(), this.#composition.erasures.stop()]);
    await this.#composition.jobs.stop();
    await this.#composition.deliverer.stop();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#lazy.close();
  }
}
