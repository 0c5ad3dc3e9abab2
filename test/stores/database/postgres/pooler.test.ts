/** A pooler between the service and Postgres: what the service depends on holds in every transaction, or it is refused. */
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../../services/stores/database/database.ts';
import { openDatabase } from '../../../../services/stores/database/open.ts';
import { type PgBouncer, startPgBouncer } from '../../../servers/fronts/pgbouncer.ts';
import { type Postgres, startPostgres } from '../../../servers/postgres.ts';
import { removeServersFolder, serversFolder } from '../../../servers/processes/reaped.ts';
import { findProgram } from '../../../servers/fronts/programs.ts';
import { serverUrl } from '../../../servers/server.ts';

const pgbouncerFile = findProgram('pgbouncer');
const canRun = pgbouncerFile !== undefined && (await serverUrl('postgres')) !== undefined;

const SETTINGS = ['statement_timeout', 'synchronous_commit', 'jit', 'transaction_isolation'];
const SETTINGS_NOW = `select ${SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(', ')}, pg_sleep(0.01)`;
const APPLIED_NOW = {
  statement_timeout: '7s',
  synchronous_commit: 'on',
  jit: 'off',
  transaction_isolation: 'read committed',
};

describe.skipIf(!canRun)('behind PgBouncer', () => {
  let folder: string;
  let postgres: Postgres;
  let session: PgBouncer;
  let transaction: PgBouncer;
  beforeAll(async () => {
    folder = await serversFolder();
    // Otherwise than the service wants it.
    const settings = { synchronous_commit: 'off', default_transaction_isolation: 'serializable', jit: 'on' };
    postgres = await startPostgres({ folder: join(folder, 'postgres'), settings });
    session = await startPgBouncer(pgbouncerFile!, join(folder, 'session'), postgres.url, 'session');
    transaction = await startPgBouncer(pgbouncerFile!, join(folder, 'transaction'), postgres.url, 'transaction');
  }, 120_000);
  afterAll(async () => {
    await Promise.all([session, transaction].map((one) => one?.stop()));
    await postgres?.stop();
    await removeServersFolder(folder);
  });

  async function opened(url: string): Promise<Database> {
    const database = await openDatabase(
      `${url}?statement_timeout_ms=7000&${url === transaction.url ? 'pool_mode=transaction' : ''}`,
    );
    onTestFinished(() => database.close());
    return database;
  }

  test.each([
    ['session', () => session.url],
    ['transaction', () => transaction.url],
  ])('settings hold in every statement and transaction in %s mode', async (_, url) => {
    const database = await opened(url());

    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        n % 2 === 0 ? database.query(SETTINGS_NOW) : database.transaction((inside) => inside.query(SETTINGS_NOW)),
      ),
    );

    for (const [row] of answers) expect(row).toMatchObject(APPLIED_NOW);
  });

  test('a transaction may have another isolation, no limit and many statements in transaction mode', async () => {
    const database = await opened(transaction.url);

    const [row] = await database.transaction(async (inside) => {
      await inside.query('set transaction isolation level repeatable read, read only');
      return inside.query<object>(SETTINGS_NOW);
    });
    const [unhurried] = await database.transaction((inside) => inside.query<object>(SETTINGS_NOW), {
      isUnhurried: true,
    });
    await database.script('create table made (id int8); insert into made values (1); drop table made');

    expect(row).toMatchObject({ ...APPLIED_NOW, transaction_isolation: 'repeatable read' });
    expect(unhurried).toMatchObject({ ...APPLIED_NOW, statement_timeout: '0' });
  });

  test('nothing is left for those who get the connection next in transaction mode', async () => {
    const database = await opened(transaction.url);
    await Promise.all(Array.from({ length: 20 }, () => database.query(SETTINGS_NOW)));
    const other = new Client({ connectionString: transaction.url });
    await other.connect();
    onTestFinished(() => other.end());

    for (let i = 0; i < 20; i++) {
      const { rows } = await other.query(SETTINGS_NOW);
      expect(rows[0]).toMatchObject({ statement_timeout: '0', synchronous_commit: 'off', jit: 'on' });
    }
  });

  test('a URL that does not say transaction mode is refused, and the error says what to do', async () => {
    for (let i = 0; i < 5; i++) {
      const refusal = await openDatabase(transaction.url).catch((error: unknown) => error);

      expect(refusal).toMatchObject({ code: 'CONFIG_INVALID', retryable: false });
      expect(String(refusal)).toContain('pool_mode=transaction');
    }
  });
});
