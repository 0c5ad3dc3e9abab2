/** Opens the stores that the URLs of the configuration name, and waits for unreachable servers where that is wanted. */
import { existsSync } from 'node:fs';
import type { AnalyticsStore } from '../stores/analytics/analytics-store.ts';
import { type AnalyticsOptions, openAnalytics } from '../stores/analytics/open.ts';
import type { Database, Queryable } from '../stores/database/database.ts';
import { checkDatabase, migrateDatabase, refuseOlder } from '../stores/database/migrate.ts';
import { openDatabase } from '../stores/database/open.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { openEventLog, topicPrefixOf } from '../event-log/open.ts';
import { Codec } from '../messages/codec.ts';
import { TOPICS } from '../messages/message.ts';
import { openSchemaIds } from '../messages/registry/open.ts';
import type { Config } from '../runtime/config.ts';
import { isRetryable, TidemarkError } from '../runtime/errors.ts';
import { lackOfRoom, STORE_RESERVE_BYTES } from '../runtime/free-space.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Migration } from '../runtime/migrate.ts';
import { untilAborted } from '../runtime/pause.ts';
import { retry } from '../runtime/retry.ts';
import { embeddedFolderOf, isServer } from '../runtime/embedded.ts';
import { SERVERS_LEFT_AFTER_MS } from '../runtime/watchdog/stop-times.ts';
import { refuseUnfinishedRestore } from '../stores/service-state/restore-state.ts';

/**
 * Every opener throws permanent errors (`CONFIG_INVALID`, `SERVER_DENIED`, `SERVER_TOO_OLD`, `STORE_NEWER`, `STORE_FOREIGN`, `RESTORE_UNFINISHED`,
 * `LOG_MISCONFIGURED`, `SCHEMA_INCOMPATIBLE`, …). It waits for a server that cannot be reached, for one whose store is older where
 * `MIGRATE` is off, and for room on the disk of an embedded store, and logs that once.
 */
export class StoreOpener {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #signal: AbortSignal | undefined;
  readonly #onMigrated: OnMigrated;
  readonly #onServers = new Set<Closable>();
  readonly #leaving = new AbortController();

  /**
   * @param signal Ends the waiting: the openers then throw `STOPPING`, those that wait for a server's answer 8.5 s later, when
   *   what they opened on servers is closed, which ends what still waits for these. Without a signal they do not wait, and throw what an unreachable server causes.
   * @param onMigrated Called with each migration that is applied, and what else is made.
   */
  constructor(config: Config, logger: Logger, signal: AbortSignal | undefined, onMigrated?: OnMigrated) {
    this.#config = config;
    this.#logger = logger;
    this.#signal = signal;
    this.#onMigrated = onMigrated ?? (() => undefined);
    const closeAll = (): void => {
      this.#leaving.abort(new TidemarkError('STOPPING', 'the process is stopping'));
      this.#onServers.forEach((store) => void store.close());
    };
    signal?.addEventListener('abort', () => setTimeout(closeAll, SERVERS_LEFT_AFTER_MS).unref(), { once: true });
  }

  log(): Promise<EventLog> {
    const { eventLogUrl, eventLogPartitions } = this.#config;
    const options = { topics: TOPICS, partitions: eventLogPartitions, migration: this.#migrationOf('log') };
    return this.#withRetry('the event log', eventLogUrl, async () =>
      this.#noteOnServer(eventLogUrl, await openEventLog(eventLogUrl, options)),
    );
  }

  async codec(): Promise<Codec> {
    const { schemaRegistryUrl, dataDir, eventLogUrl } = this.#config;
    if (schemaRegistryUrl === undefined) return new Codec(await openSchemaIds(undefined));
    const options = {
      topicPrefix: await topicPrefixOf(eventLogUrl),
      // A command creates no data folder where there is none.
      cacheFile: this.#signal !== undefined || existsSync(dataDir) ? `${dataDir}/schema-ids.json` : undefined,
      logger: this.#logger,
    };
    const ids = await this.#withRetry('the schema registry', schemaRegistryUrl, () =>
      openSchemaIds(schemaRegistryUrl, options),
    );
    return new Codec(ids);
  }

  /** With its tables up to date, by whomever. */
  database(): Promise<Database> {
    const { profilesUrl } = this.#config;
    return this.#withRetry('the database of profiles', profilesUrl, async () => {
      const database = this.#noteOnServer(profilesUrl, await openDatabase(profilesUrl, this.#signal));
      try {
        if (this.#signal?.aborted === true) throw new TidemarkError('STOPPING', 'the process is stopping');
        await refuseUnfinishedRestore(database);
        await this.#migrate(database);
        return database;
      } catch (error) {
        await database.close();
        this.#onServers.delete(database);
        throw error;
      }
    });
  }

  /** With its tables up to date. ClickHouse has no lock of its own to migrate under: Postgres lends one. */
  analytics(database: Promise<Database>): Promise<AnalyticsStore> {
    const { analyticsUrl } = this.#config;
    const migration = this.#migrationOf('analytics');
    const options: AnalyticsOptions = { exclusively: async (run) => exclusively(await database, run), migration };
    return this.#withRetry('analytics', analyticsUrl, async () =>
      this.#noteOnServer(analyticsUrl, await openAnalytics(analyticsUrl, options)),
    );
  }

  async #migrate(database: Database): Promise<void> {
    const { isOn, note } = this.#migrationOf('database');
    if (!isOn) return checkDatabase(database);
    await refuseOlder(database);
    for (const { name } of await migrateDatabase(database)) note(name);
  }

  #migrationOf(store: MigratedStore): Required<Migration> {
    return { isOn: this.#config.migrate, note: (name) => this.#onMigrated(store, name) };
  }

  /** Embedded stores are closed when nothing asks them any more: they answer. */
  #noteOnServer<Store extends Closable>(url: string, store: Store): Store {
    if (isServer(url)) this.#onServers.add(store);
    return store;
  }

  #withRetry<T>(what: string, url: string, open: () => Promise<T>): Promise<T> {
    const signal = this.#signal;
    if (signal === undefined) return open();
    const folder = embeddedFolderOf(url);
    const lacksRoom = (): boolean => folder !== undefined && lackOfRoom(folder, STORE_RESERVE_BYTES) !== undefined;
    const { signal: leaving } = this.#leaving;
    return retry(() => (isServer(url) ? untilAborted(open(), leaving) : open()), {
      signal,
      passes: (error) => isRetryable(error) && (isServer(url) || lacksRoom()),
      onTrouble: (error) => this.#logger.warn({ err: error }, `cannot open ${what} now: waiting`),
      onRecovery: () => this.#logger.info(`opened ${what}`),
      longestWaitMs: 5_000,
    });
  }
}

type Closable = Pick<Database, 'close'>;

export type MigratedStore = Exclude<StoreName, 'codec'>;
export type OnMigrated = (store: MigratedStore, name: string) => void;

/** The stores of a process, opened. */
export interface OpenedStores {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
}

export type StoreName = keyof OpenedStores;

export type DatabaseAndAnalytics = Pick<OpenedStores, 'database' | 'analytics'>;

// The number is arbitrary, but differs from that of the database's own migrations.
const ANALYTICS_MIGRATION_LOCK = 'select pg_advisory_xact_lock(7418321991)::text';

export function exclusively<T>(database: Database, run: () => Promise<T>): Promise<T> {
  const locked = async (transaction: Queryable): Promise<T> => {
    await transaction.query(ANALYTICS_MIGRATION_LOCK);
    return run();
  };
  return database.transaction(locked, { isUnhurried: true });
}
