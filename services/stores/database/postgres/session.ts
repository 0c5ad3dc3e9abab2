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
 * The first query of every connection. It applies the settings that our statements require, whatever the role or the
 * server has. They are not in the startup packet because connection poolers refuse them there.
 *
 * An acknowledged position must survive a crash together with the data that it covers, so commits are never
 * asynchronous: `synchronous_commit = off` becomes `on`, and values that also wait for standbys are kept.
 *
 * @throws TidemarkError `SERVER_TOO_OLD`; `CONFIG_INVALID` for a database that cannot hold every text;
 *   `STORE_UNAVAILABLE` for a standby, which takes no writes.
 */
export async function prepareSession(client: ClientBase, settings: PostgresSettings): Promise<void> {
  const values = [settings.statementTimeoutMs, settings.lockTimeoutMs, IDLE_IN_TRANSACTION_MS];
  const [server] = await runStatement<ServerRow>(client, SESSION_SETTINGS, values, settings.connectTimeoutMs);
  if (server) checkServer(server, settings);
}

const SESSION_SETTINGS = `
  select current_setting('server_version_num') as version, current_setting('server_version') as version_name,
         current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby,
         set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
         set_config('idle_in_transaction_session_timeout', $3, false),
         set_config('default_transaction_isolation', 'read committed', false),
         set_config('bytea_output', 'hex', false), set_config('extra_float_digits', '1', false),
         set_config('jit', 'off', false),
         set_config('synchronous_commit',
                    case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end,
                    false)`;

type ServerRow = { version: string; version_name: string; encoding: string; is_standby: boolean };

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
