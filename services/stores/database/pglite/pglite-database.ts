import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';
import { TidemarkError } from '../../../runtime/errors.ts';
import { expectRoom } from '../../../runtime/free-space.ts';
import { lockFolder, type FolderLock } from '../../../runtime/folder-lock.ts';
import { mayBlock } from '../../../runtime/watchdog/watchdog.ts';
import type { Database, Queryable, Row, SqlValue, TransactionOptions } from '../database.ts';
import { sqlState, storeError } from '../errors.ts';
import { ensureCluster } from './cluster.ts';
import { startEngine } from './engine.ts';
import { MaintenanceSchedule, maintain } from './maintenance.ts';
import { openFailure } from './open-failure.ts';
import { OpenTransaction } from '../open-transaction.ts';
import { rewriteFiles } from './rewrite-files.ts';

/** Statements that write almost nothing, and so are allowed on a full disk. */
const READING = /^\s*(?:select|set)\b/i;

/**
 * Postgres inside this process. A statement blocks the calling thread while it runs, so statements must be short. There
 * is one connection: a transaction and other queries wait for each other. An acknowledged commit is on the disk.
 */
export class PgliteDatabase implements Database {
  readonly #cluster: string | undefined;
  readonly #lock: FolderLock | undefined;
  readonly #schedule = new MaintenanceSchedule();
  #engine: PGlite | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #lastStatement: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  private constructor(engine: PGlite, cluster?: string, lock?: FolderLock) {
    this.#engine = engine;
    this.#cluster = cluster;
    this.#lock = lock;
  }

  /**
   * Opens the database in a folder, and creates the folder if it does not exist (which takes some seconds).
   *
   * @throws TidemarkError `FOLDER_IN_USE`; `CONFIG_INVALID` if the folder cannot be used, or not written; `STORE_DAMAGED` if
   *   Postgres does not start with its contents; `STORE_UNAVAILABLE` if no cluster can be made, or the disk is full.
   */
  static async open(folder: string, signal?: AbortSignal): Promise<PgliteDatabase> {
    const lock = lockFolder(folder);
    try {
      const cluster = await ensureCluster(folder, signal);
      return new PgliteDatabase(await mayBlock(() => startEngine(cluster)), cluster, lock);
    } catch (error) {
      lock.release();
      throw openFailure(join(folder, 'cluster'), error);
    }
  }

  /** For tests: the database disappears when it is closed. A tar of a cluster saves the time to create one. */
  static async openInMemory(cluster?: Blob): Promise<PgliteDatabase> {
    return new PgliteDatabase(await startEngine(undefined, cluster));
  }

  async query<R = Row>(sql: string, values: readonly SqlValue[] = []): Promise<readonly R[]> {
    return this.#exclusively((engine) => this.#roomyStatement<R>(engine, sql, values));
  }

  async script(sql: string): Promise<void> {
    await this.#exclusively((engine) => this.#guarded(() => engine.exec(sql)));
  }

  /**
   * An unhurried transaction creates or drops tables. It may use the disk reserve, so that a full disk prevents no
   * start.
   */
  async transaction<T>(
    run: (transaction: Queryable) => Promise<T>,
    { isUnhurried = false }: TransactionOptions = {},
  ): Promise<T> {
    return this.#exclusively(async (engine) => {
      const transaction = new OpenTransaction((sql, values) =>
        isUnhurried ? this.#statement(engine, sql, values) : this.#roomyStatement(engine, sql, values),
      );
      await this.#statement(engine, 'begin');
      try {
        const result = await run(transaction);
        transaction.end();
        await this.#statement(engine, 'commit');
        return result;
      } catch (error) {
        await this.#rollBack(engine);
        throw error;
      }
    });
  }

  /** Other statements run between those of it. */
  rewriteFiles(tables: readonly string[], signal: AbortSignal): Promise<void> {
    const room = (bytes: number): void => {
      if (this.#cluster !== undefined) expectRoom(this.#cluster, 'STORE_UNAVAILABLE', bytes);
    };
    return rewriteFiles({ query: (sql) => this.query(sql), expectRoom: room, signal }, tables);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#last.then(() => this.#shutDown());
    await this.#closed;
  }

  /** Runs statements one after another, in the order issued. */
  #exclusively<T>(use: (engine: PGlite) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new TidemarkError('STOPPING', 'the database is closed'));
    const result = this.#last.then(async () => use(await this.#running()));
    this.#last = result.catch(() => undefined).then(() => this.#maintainIfDue());
    return result;
  }

  /** Postgres panics if it cannot write its log, so it receives statements that write only while the disk has room. */
  async #roomyStatement<R = Row>(engine: PGlite, sql: string, values: readonly SqlValue[] = []): Promise<readonly R[]> {
    if (this.#cluster !== undefined && !READING.test(sql)) expectRoom(this.#cluster, 'STORE_UNAVAILABLE');
    return this.#statement(engine, sql, values);
  }

  /** Runs statements one after another, even if a transaction issues several at once. */
  #statement<R = Row>(engine: PGlite, sql: string, values: readonly SqlValue[] = []): Promise<readonly R[]> {
    const answer = this.#lastStatement.then(async () => {
      // Between two statements, yield to the event loop: PGlite itself never does.
      await nextTurn();
      const { rows } = await this.#guarded(() => engine.query<R>(sql, [...values]));
      return rows;
    });
    this.#lastStatement = answer.catch(() => undefined);
    return answer;
  }

  async #guarded<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await mayBlock(call);
    } catch (error) {
      const state = sqlState(error);
      if (state !== undefined) throw storeError(error as Error, state);
      // Postgres panicked (for example on a full disk) or the engine itself failed: only a new engine can continue.
      this.#engine = undefined;
      throw new TidemarkError('STORE_UNAVAILABLE', 'the embedded database broke down; it is started anew', {
        cause: error,
      });
    }
  }

  async #rollBack(engine: PGlite): Promise<void> {
    if (this.#engine === engine) await this.#statement(engine, 'rollback');
  }

  async #running(): Promise<PGlite> {
    this.#engine ??= await start(this.#cluster);
    return this.#engine;
  }

  async #maintainIfDue(): Promise<void> {
    const engine = this.#engine;
    if (engine === undefined || this.#cluster === undefined || !this.#schedule.isDue()) return;
    // An error here (a full disk) is not reported: the next write fails with it too.
    await maintain((sql) => this.#roomyStatement(engine, sql)).catch(() => undefined);
    this.#schedule.done();
  }

  async #shutDown(): Promise<void> {
    try {
      await mayBlock(async () => this.#engine?.close());
    } finally {
      this.#lock?.release();
    }
  }
}

async function start(cluster: string | undefined): Promise<PGlite> {
  try {
    return await mayBlock(() => startEngine(cluster));
  } catch (error) {
    const message = `the embedded database ${cluster ?? ''} does not start`;
    throw new TidemarkError('STORE_UNAVAILABLE', message, { cause: error });
  }
}
