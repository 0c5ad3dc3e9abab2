import { type ClientBase, Pool, type PoolClient, type PoolConfig } from 'pg';
import { TidemarkError } from '../../../runtime/errors.ts';
import { GOODBYE_MS } from '../../../runtime/watchdog/stop-times.ts';
import type { Database, Queryable, Row, SqlValue, TransactionOptions } from '../database.ts';
import { OpenTransaction } from '../open-transaction.ts';
import { Connections } from './connections.ts';
import { connectError } from './errors.ts';
import { NO_LIMIT, PostgresSession, prepareSession } from './session.ts';
import { TYPES } from './types.ts';
import { type PostgresSettings, readPostgresUrl } from './url.ts';

// A firewall may silently drop a connection that is idle for longer.
const IDLE_CONNECTION_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/** Connections are replaced so that they follow a fail-over by name, and so that the server frees their caches. */
const LIFETIME_S = 3_600;
/** The client's time limit for a statement exceeds the server's by this. */
const GRACE_MS = 5_000;

/**
 * A Postgres server, through a pool of connections. Statements of several callers run concurrently, each on its own
 * connection. If a connection breaks, the statements on it fail, and the next statement gets a new connection.
 */
export class PostgresDatabase implements Database {
  readonly #settings: PostgresSettings;
  readonly #pool: Pool;
  readonly #connections = new Connections();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  private constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#pool = new Pool({ ...poolConfig(settings), Client: this.#connections.Client });
    // An idle connection broke. The pool removes it, and no statement is affected.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Opens the pool and a connection, which checks the server, and a second one, which tells a pooler in transaction mode.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` if the server cannot be reached within the connection timeout;
   *   `SERVER_DENIED`; `SERVER_TOO_OLD`; `CONFIG_INVALID` for a URL or a database that makes no sense.
   */
  static async open(url: string): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(readPostgresUrl(url));
    try {
      await database.#use(async () => {
        if (database.#settings.poolMax > 1) await database.#use(() => Promise.resolve());
      });
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly R[]> {
    if (this.#settings.perTransaction) return this.transaction((transaction) => transaction.query<R>(sql, values));
    return this.#use((session) => session.query<R>(sql, values));
  }

  async script(sql: string): Promise<void> {
    await this.query(sql);
  }

  async transaction<T>(run: (transaction: Queryable) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { isUnhurried = false } = options;
    return this.#use((session) => transact(session, isUnhurried, run), isUnhurried);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    await this.#closed;
  }

  async #use<T>(work: (session: PostgresSession) => Promise<T>, isUnhurried = false): Promise<T> {
    if (this.#closed) throw new TidemarkError('STOPPING', 'the database is closed');
    const result = this.#withConnection(work, isUnhurried);
    this.#underWay.add(result);
    try {
      return await result;
    } finally {
      this.#underWay.delete(result);
    }
  }

  async #withConnection<T>(work: (session: PostgresSession) => Promise<T>, isUnhurried: boolean): Promise<T> {
    const client = await this.#connection();
    const limitMs = isUnhurried ? NO_LIMIT : this.#settings.statementTimeoutMs + GRACE_MS;
    const session = new PostgresSession(client, limitMs);
    try {
      return await work(session);
    } finally {
      client.release(session.isBroken);
    }
  }

  async #connection(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw connectError(error, this.#settings);
    }
  }

  /** The time is limited because a server that hangs answers nothing, and does not confirm that a connection is closed. */
  async #shutDown(): Promise<void> {
    const impatience = setTimeout(() => this.#connections.hangUp(), GOODBYE_MS);
    await Promise.allSettled(this.#underWay);
    await this.#pool.end();
    clearTimeout(impatience);
  }
}

async function transact<T>(
  session: PostgresSession,
  isUnhurried: boolean,
  run: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const transaction = new OpenTransaction((sql, values) => session.query(sql, values));
  await session.begin();
  try {
    if (isUnhurried) for (const statement of NO_HURRY) await session.query(statement);
    const result = await run(transaction);
    transaction.end();
    await session.query('commit');
    return result;
  } catch (error) {
    await session.rollBack();
    throw error;
  }
}

// Not `select set_config(…)`: after a query the isolation of a transaction cannot be set any more.
const NO_HURRY = ['set local statement_timeout = 0', 'set local idle_in_transaction_session_timeout = 0'];

/** The pool awaits the returned promise, although its types do not say so. */
interface ServerPool extends Omit<PoolConfig, 'onConnect'> {
  readonly onConnect: (client: ClientBase) => Promise<void>;
}

function poolConfig(settings: PostgresSettings): ServerPool {
  const { host, port, user, password, database, tls, connectTimeoutMs } = settings;
  return {
    host,
    port,
    user,
    database,
    // As a function, the password appears in no printed object. The driver then looks for it nowhere else.
    password: () => password,
    ssl: tls,
    application_name: settings.applicationName,
    types: TYPES,
    max: settings.poolMax,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    maxLifetimeSeconds: LIFETIME_S,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    // A statement is sent at once even if another is in progress, so the server can start it without a round trip.
    pipeline: true,
    onConnect: (client) => prepareSession(client, settings),
  };
}
