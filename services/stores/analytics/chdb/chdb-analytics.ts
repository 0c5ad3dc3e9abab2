/** ClickHouse inside this process: chDB behind the official client. Imported by open.ts alone. */
import { ClickHouseLogLevel, createClient, parseError } from '@clickhouse/client';
import { lockFolder } from '../../../runtime/folder-lock.ts';
import { TidemarkError } from '../../../runtime/errors.ts';
import { MIGRATES, type Migration } from '../../../runtime/migrate.ts';
import { BootNote } from './boot-note.ts';
import { ChdbConnection, Semaphore } from './connection.ts';
import { ChdbEngine } from './chdb-engine.ts';
import type { ClickHouseClients } from '../clickhouse/clients.ts';
import { ClickHouseStore } from '../clickhouse/clickhouse-store.ts';
import { EMBEDDED } from '../clickhouse/deployment.ts';
import { openingError } from '../clickhouse/errors.ts';
import { LOOKUP_LIMITS } from '../clickhouse/settings.ts';
import { fairGate } from '../query-queue.ts';

// Every statement in progress occupies a thread of libuv's pool, which has 4 unless UV_THREADPOOL_SIZE is larger (it
// can be set by the process before its first use). These are 10 together, and one checks what inserts wrote, so files and
// the embedded log need a larger pool. Two inserts run at once: that of events takes as long as all others together.
const INSERTS_AT_ONCE = 2;
// What live audiences read of their users and of their members, and what they write.
const MAX_LOOKUPS = 3;
const QUESTIONS_AT_ONCE = 2;
const STREAMS_AT_ONCE = 2;
const EVALUATIONS_AT_ONCE = 1;

/** The default database of chDB. */
const DATABASE = 'default';

/**
 * Opens the store in this folder, creates the folder if it does not exist, and migrates the tables. A process can open
 * one chDB at a time, on any thread.
 *
 * @throws TidemarkError `FOLDER_IN_USE`; `STORE_NEWER`; `STORE_UNAVAILABLE` if chDB cannot open it.
 */
export async function openChdb(folder: string, migration = MIGRATES): Promise<ClickHouseStore> {
  const lock = lockFolder(folder);
  try {
    const databases = new ChdbDatabases(openEngine(folder), migration);
    const store = databases.first(() => lock.release());
    await prepared(store, folder, migration);
    return store;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openEngine(folder: string): ChdbEngine {
  try {
    return new ChdbEngine(`${folder}/store`);
  } catch (error) {
    throw new TidemarkError('STORE_UNAVAILABLE', `chDB cannot open ${folder}`, { cause: error });
  }
}

/** The databases of one chDB. They share the limit of concurrent statements. */
class ChdbDatabases {
  readonly name = DATABASE;
  readonly gates = {
    questions: fairGate(QUESTIONS_AT_ONCE),
    streams: fairGate(STREAMS_AT_ONCE),
    evaluations: fairGate(EVALUATIONS_AT_ONCE),
  };
  readonly #engine: ChdbEngine;
  readonly #migration: Migration;
  readonly #inserts = new Semaphore(INSERTS_AT_ONCE);
  readonly #lookups = new Semaphore(MAX_LOOKUPS);
  readonly #questions = new Semaphore(QUESTIONS_AT_ONCE);
  readonly #streams = new Semaphore(STREAMS_AT_ONCE);
  readonly #evaluations = new Semaphore(EVALUATIONS_AT_ONCE);

  constructor(engine: ChdbEngine, migration: Migration) {
    this.#engine = engine;
    this.#migration = migration;
  }

  /** @param release Called when the store and chDB are closed. */
  first(release: () => void): ClickHouseStore {
    const close = async (): Promise<void> => {
      await this.#engine.close();
      release();
    };
    return new ClickHouseStore(this.#clients(close), EMBEDDED, this);
  }

  readonly lack = (): string | undefined => this.#engine.lack;

  readonly dropOldFiles = async (signal: AbortSignal): Promise<void> => {
    try {
      await this.#engine.dropOldParts(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw openingError(parseError(error instanceof Error ? error : String(error)));
    }
  };

  async open(name: string, isNew = false): Promise<ClickHouseStore> {
    const store = new ClickHouseStore(
      this.#clients(() => Promise.resolve(), name),
      EMBEDDED,
      this,
    );
    await store.migrate(isNew ? MIGRATES : this.#migration);
    return store;
  }

  #clients(release: () => Promise<void>, database?: string): ClickHouseClients {
    const clientOf = (slots: Semaphore): ReturnType<typeof createClient> =>
      createClient({
        connection: new ChdbConnection(this.#engine, slots, database),
        log: { level: ClickHouseLogLevel.OFF },
      });
    const inserts = clientOf(this.#inserts);
    const lookups = clientOf(this.#lookups);
    return {
      inserts,
      servers: [inserts],
      shards: [inserts],
      lookups,
      lookupsByShard: [lookups],
      questions: clientOf(this.#questions),
      streams: clientOf(this.#streams),
      evaluations: clientOf(this.#evaluations),
      release,
    };
  }
}

async function prepared(store: ClickHouseStore, folder: string, migration: Migration): Promise<void> {
  try {
    await store.migrate(migration);
    const boots = new BootNote(folder);
    if (boots.isAnother() || (await hasDeadLettered(store, boots.notedAtMs()))) await store.forgetDoubtful();
    boots.note();
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Whether chDB found an unreadable part written since the last opening. The ranges of its rows may have been recorded.
 */
async function hasDeadLettered(store: ClickHouseStore, sinceMs: number | undefined): Promise<boolean> {
  if (sinceMs === undefined) return false;
  const sql =
    'SELECT count() > 0 AS found FROM system.detached_parts ' +
    "WHERE reason = 'broken-on-start' AND modification_time >= fromUnixTimestamp64Milli({since:Int64})";
  const { rows } = await store.ask(
    { sql, params: { since: String(Math.floor(sinceMs / 1000) * 1000) } },
    LOOKUP_LIMITS,
  );
  return Boolean(rows[0]?.['found']);
}
