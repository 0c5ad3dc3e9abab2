import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { Database, Queryable, Row, SqlValue, TransactionOptions } from '../database.ts';
import { OpenTransaction } from '../open-transaction.ts';
import { connectError } from './errors.ts';
import { NO_LIMIT, PostgresSession, prepareSession } from './session.ts';
import { TYPES } from './types.ts';
import { type PostgresSettings, readPostgresUrl } from './url.ts';

// A firewall may forget a connection that rests longer, and tell nobody.
const IDLE_CONNECTION_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/** So that connections move on after a fail-over by name, and the server gets back what they have cached. */
const LIFETIME_S = 3_600;
/** By how much our limit for a statement is later than the server's. */
const GRACE_MS = 5_000;
/** How long a server may take to close the connections. */
const GOODBYE_MS = 3_000;

/**
 * A Postgres server, through a pool of connections. Statements from several callers run side by side, each on a
 * connection of its own; what breaks a connection fails what runs on it, and the next statement gets a new one.
 */
export class PostgresDatabase implements Database {
  readonly #settings: PostgresSettings;
  readonly #pool: Pool;
  readonly #clients = new Set<PoolClient>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  private constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#pool = new Pool(poolConfig(settings));
    this.#pool.on('connect', (client) => this.#keep(client));
    this.#pool.on('remove', (client) => this.#clients.delete(client));
    // A connection that breaks at rest: the pool drops it, and nobody waited for it.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Connects once, to find out whether it can.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` where the server cannot be reached within the connection timeout;
   *   `SERVER_DENIED`; `SERVER_TOO_OLD`; `CONFIG_INVALID` for a URL or a database that makes no sense.
   */
  static async open(url: string): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(readPostgresUrl(url));
    try {
      await database.query('select 1');
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async query<R = Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly R[]> {
    return this.#use((session) => session.query<R>(sql, values));
  }

  async script(sql: string): Promise<void> {
    await this.#use((session) => session.query(sql));
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

  #keep(client: PoolClient): void {
    this.#clients.add(client);
    // While it is used the pool does not listen, and an error that nobody listens to ends the process. What runs on
    // the connection is rejected all the same.
    client.on('error', nothing);
  }

  async #shutDown(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    const impatience = setTimeout(() => this.#hangUp(), GOODBYE_MS);
    await this.#pool.end();
    clearTimeout(impatience);
  }

  /** A server that hangs never says goodbye. */
  #hangUp(): void {
    for (const { connection } of this.#clients) connection.stream.destroy();
  }
}

async function transact<T>(
  session: PostgresSession,
  isUnhurried: boolean,
  run: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const transaction = new OpenTransaction((sql, values) => session.query(sql, values));
  await session.query('begin');
  try {
    if (isUnhurried) await session.query(NO_HURRY);
    const result = await run(transaction);
    transaction.end();
    await session.query('commit');
    return result;
  } catch (error) {
    await session.rollBack();
    throw error;
  }
}

const NO_HURRY = `
  select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`;

/** The pool awaits it, whatever its types say. */
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
    // As a function it is found in no object that is printed, and the driver looks nowhere else for one.
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
    Client: TidyClient,
    // A statement that is asked while another is at work goes out at once, and the server begins it without waiting for us.
    pipeline: true,
    onConnect: (client) => prepareSession(client, settings),
  };
}

function nothing(): void {
  // Whoever asked has it.
}

/**
 * The driver's client, which leaves nothing behind where it cannot sign in. The driver's own, and its pool, forget a
 * connection that they gave up themselves (no password, a signature that does not match) without closing it: the server
 * keeps it for a minute, and whoever drops a database waits for it.
 */
export class TidyClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}
