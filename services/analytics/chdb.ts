/** ClickHouse inside this process: chDB behind the official client. Imported by open.ts alone. */
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { lockFolder, type FolderLock } from '../runtime/folder-lock.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { BootNote } from './boot-note.ts';
import { ChdbConnection } from './chdb-connection.ts';
import { ChdbEngine } from './chdb-engine.ts';
import { ClickHouseStore } from './clickhouse.ts';
import { EMBEDDED } from './clickhouse-deployment.ts';

// Every statement under way holds a thread of libuv's pool, which is 4 unless UV_THREADPOOL_SIZE says more (settable from
// within, before its first use): together these are 4, so that files and the embedded log want a larger pool.
const INSERTS_AT_ONCE = 1;
const LOOKUPS_AT_ONCE = 1;
const QUESTIONS_AT_ONCE = 2;

/**
 * Opens the store in this folder, making it where it is absent, and brings its tables up to date. One chDB can be open
 * in a process at a time; any thread will do.
 *
 * @throws TidemarkError `FOLDER_IN_USE`; `STORE_NEWER`; `STORE_UNAVAILABLE` where chDB cannot open it.
 */
export async function openChdb(folder: string): Promise<ClickHouseStore> {
  const lock = lockFolder(folder);
  try {
    const engine = openEngine(folder);
    const clients = {
      inserts: clientOf(engine, INSERTS_AT_ONCE),
      lookups: clientOf(engine, LOOKUPS_AT_ONCE),
      questions: clientOf(engine, QUESTIONS_AT_ONCE),
      release: () => release(engine, lock),
    };
    const store = new ClickHouseStore(clients, EMBEDDED);
    await prepared(store, folder);
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

function clientOf(engine: ChdbEngine, atOnce: number): ReturnType<typeof createClient> {
  return createClient({
    connection: new ChdbConnection(engine, atOnce),
    log: { level: ClickHouseLogLevel.OFF },
  });
}

async function prepared(store: ClickHouseStore, folder: string): Promise<void> {
  try {
    await store.migrate();
    const boots = new BootNote(folder);
    if (boots.isAnother()) await store.forgetDoubtful();
    boots.note();
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function release(engine: ChdbEngine, lock: FolderLock): Promise<void> {
  await engine.close();
  lock.release();
}
