import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { Row, SqlValue } from '../database.ts';
import { statementFailure } from './errors.ts';
import type { PostgresSettings } from './url.ts';
import { textArraysOf, toParameters } from './types.ts';

/** The oldest version that is still supported by its developers. https://www.postgresql.org/support/versioning/ */
const OLDEST = 140_000;

/** Releases the locks of a transaction if this process hangs in the middle of it. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** No limit on the time of a statement. */
export const NO_LIMIT = 0;

/**
 * Before the first use of every connection. It applies the settings that our statements require, whatever the role or the
 * server has. They are not in the startup packet because connection poolers refuse them there. Where a pooler gives each
 * transaction another connection, each transaction applies them instead.
 *
 * An acknowledged position must survive a crash together with the data that it covers, so commits are never
 * asynchronous: `synchronous_commit = off` becomes `on`, and values that also wait for standbys are kept.
 *
 * @throws TidemarkError `SERVER_TOO_OLD`; `CONFIG_INVALID` for a database that cannot hold every text, and for a pooler that
 *   gives each transaction another connection without `pool_mode=transaction`; `STORE_UNAVAILABLE` for a standby, which
 *   takes no writes.
 */
export async function prepareSession(client: ClientBase, settings: PostgresSettings): Promise<void> {
  const ask = (sql: string, values: readonly SqlValue[] = []) =>
    runStatement<ServerRow>(client, sql, values, settings.connectTimeoutMs);
  const [server] = await ask(`select ${SERVER}`);
  if (server === undefined) return;
  checkServer(server, settings);
  const applied = settingsOf(settings, server.commit);
  if (settings.perTransaction) {
    const set = applied.map(([name, value]) => `set local ${name} = '${value}'`);
    begins.set(client, ['begin isolation level read committed', ...set].join(';'));
    return;
  }
  const mine = randomUUID();
  const set = [...applied, [PREPARED_BY, mine]].map(([name, value]) => `set_config('${name}', '${value}', false)`);
  await ask(`select ${set.join(', ')}`);
  const [later] = await ask(`select ${SERVER}`);
  if (!server.mark && later?.mark === mine) return;
  // Whoever has the connection next is left nothing.
  await ask('discard all');
  throw new TidemarkError('CONFIG_INVALID', NO_SESSION);
}

/** What begins a transaction on connections whose settings last no longer than it. */
const begins = new WeakMap<ClientBase, string>();

/** What a connection says of the one who prepared it. A new one says nothing, unless somebody else had it of a pooler. */
const PREPARED_BY = 'tidemark.connection';
const NO_SESSION =
  'between this service and Postgres is a pooler that gives each transaction another connection: ' +
  "add pool_mode=transaction to PROFILES_URL, or use the pooler's session mode";

const SERVER = `current_setting('server_version_num') as version, current_setting('server_version') as version_name,
  current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby,
  current_setting('synchronous_commit') as commit, current_setting('${PREPARED_BY}', true) as mark`;

interface ServerRow {
  readonly version: string;
  readonly version_name: string;
  readonly encoding: string;
  readonly is_standby: boolean;
  readonly commit: string;
  readonly mark: string | null;
}

function settingsOf({ statementTimeoutMs, lockTimeoutMs }: PostgresSettings, commit: string): [string, string][] {
  return [
    ['statement_timeout', `${statementTimeoutMs}`],
    ['lock_timeout', `${lockTimeoutMs}`],
    ['idle_in_transaction_session_timeout', `${IDLE_IN_TRANSACTION_MS}`],
    ['default_transaction_isolation', 'read committed'],
    ['bytea_output', 'hex'],
    ['extra_float_digits', '1'],
    ['jit', 'off'],
    ['synchronous_commit', commit === 'off' ? 'on' : commit],
  ];
}

function checkServer({ version, version_name, encoding, is_standby }: ServerRow, { database }: PostgresSettings): void {
  if (Number(version) < OLDEST) {
    const message = `Postgres ${version_name} is too old: Tidemark needs ${OLDEST / 10_000} or newer`;
    throw new TidemarkError('SERVER_TOO_OLD', message);
  }
  if (encoding !== 'UTF8') {
    const message = `the database ${JSON.stringify(database)} is encoded in ${encoding}: Tidemark needs one in UTF8`;
    throw new TidemarkError('CONFIG_INVALID', message);
  }
  if (is_standby) throw new TidemarkError('STORE_UNAVAILABLE', 'this Postgres is a standby: it takes no writes');
}

/** A connection that was checked out of the pool. */
export class PostgresSession {
  readonly #client: ClientBase;
  readonly #limitMs: number;
  #isBroken = false;
  #underWay = 0;

  /**
   * @param limitMs How long the answer to a statement may take, `NO_LIMIT` for no limit. A statement that waits for
   *   others has their time in addition.
   */
  constructor(client: ClientBase, limitMs: number) {
    this.#client = client;
    this.#limitMs = limitMs;
  }

  /** Whether the connection must not be used again. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Begins a transaction. Its isolation can be changed before the first query. */
  async begin(): Promise<void> {
    await this.query(begins.get(this.#client) ?? 'begin');
  }

  async query<R = Row>(sql: string, values: readonly SqlValue[] = []): Promise<readonly R[]> {
    this.#underWay++;
    try {
      return await runStatement<R>(this.#client, sql, values, this.#limitMs * this.#underWay);
    } catch (error) {
      const failure = statementFailure(error);
      this.#isBroken ||= failure.endsConnection;
      throw failure.error;
    } finally {
      this.#underWay--;
    }
  }

  /** Rolls back. If that fails, the connection is marked as broken. */
  async rollBack(): Promise<void> {
    if (this.#isBroken) return;
    try {
      await this.query('rollback');
    } catch {
      // The first error tells more, so this one is dropped. Without a rollback, the connection must not be used again.
      this.#isBroken = true;
    }
  }
}

/**
 * A server that hangs does not enforce its own time limit, so the client has one as well. Statements are not prepared
 * under names: this would not speed up the merges (measured: 12 ms of CPU time on the server per 1,000 messages either
 * way), and prepared names would have to survive migrations and connection poolers.
 */
async function runStatement<R>(
  client: ClientBase,
  sql: string,
  values: readonly SqlValue[],
  limitMs: number,
): Promise<readonly R[]> {
  const parameters = toParameters(values, textArraysOf(sql));
  const statement = { text: sql, values: [...parameters], query_timeout: limitMs };
  const { rows } = await client.query<Row>(statement);
  return rows as readonly R[];
}
