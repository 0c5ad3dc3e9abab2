import { types } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TidemarkError } from '../../../../services/runtime/errors.ts';
import { openDatabase } from '../../../../services/stores/database/open.ts';
import { testDatabase } from '../../../contract/database.ts';
import { serverUrl } from '../../../servers/server.ts';
import { PostgresBench } from '../../../support/stores/postgres.ts';
import { rewritingProxy } from '../../../support/http/rewriting-proxy.ts';

const server = await serverUrl('postgres');

describe.skipIf(server === undefined)('on a server', () => {
  const bench = new PostgresBench(server);

  testDatabase('PostgresDatabase', () => openDatabase(bench.url));

  test('further types are returned as the port defines', async () => {
    const [row] = await (
      await bench.open()
    ).query(`
      select array['\\x00ff'::bytea, null] as bytes, array[true, null] as flags, array[1.5::float8, 'NaN'] as doubles,
             array[1, 2]::int2[] as small, '{}'::text[] as none, array['', 'NULL', '{"a,b"}', 'c\\d'] as texts,
             '{"a": 1.10}'::jsonb as json, 1.10::numeric as decimal, '2026-01-02T03:04:05Z'::timestamptz::text as time`);

    expect(row).toMatchObject({
      bytes: [new Uint8Array([0, 255]), null],
      flags: [true, null],
      doubles: [1.5, NaN],
      small: [1, 2],
      none: [],
      texts: ['', 'NULL', '{"a,b"}', String.raw`c\d`],
      json: '{"a": 1.10}',
      decimal: '1.10',
    });
    expect(row?.['time']).toContain('2026-01-02');
    expect(Object.getPrototypeOf((row?.['bytes'] as unknown[] | undefined)?.[0])).toBe(Uint8Array.prototype);
  });

  test('bytes in arrays are stored unchanged', async () => {
    const bytes = [new Uint8Array([0, 92, 255]), null, new Uint8Array(0)];

    expect(await (await bench.open()).query('select $1::bytea[] as bytes', [bytes])).toEqual([{ bytes }]);
  });

  test("the driver's own types, which others in the process may use, are left alone", async () => {
    await (await bench.open()).query('select 1::int8');

    const parse = types.getTypeParser(types.builtins.INT8) as (text: string) => unknown;
    expect(parse('1')).toBe('1');
  });

  test('statements of several callers run concurrently', async () => {
    const database = await bench.open();
    const bothThere = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;

    const meet = (mine: 0 | 1) =>
      database.transaction(async (transaction) => {
        await transaction.query('select 1');
        bothThere[mine].resolve();
        await bothThere[mine === 0 ? 1 : 0].promise;
      });

    await Promise.all([meet(0), meet(1)]);
  });

  test('no more connections than pool_max are made', async () => {
    const database = await bench.open('pool_max=2&application_name=bounded');
    const pids = await Promise.all(
      Array.from({ length: 20 }, () =>
        database.transaction((transaction) => transaction.query<{ pid: number }>('select pg_backend_pid() as pid')),
      ),
    );

    expect(new Set(pids.map(([row]) => row?.pid)).size).toBe(2);
    expect(await bench.ask(`select 1 from pg_stat_activity where application_name = 'bounded'`)).toHaveLength(2);
  });

  test('who finds no free connection in time is told to come again', async () => {
    const database = await bench.open('pool_max=1&connect_timeout_ms=300');

    await database.transaction(async () => {
      await expect(database.query('select 1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    });

    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a statement that takes too long is stopped, one that may take its time is not', async () => {
    const database = await bench.open('statement_timeout_ms=50&pool_max=1');
    const sleep = 'select pg_sleep(0.2)::text';

    await expect(database.query(sleep)).rejects.toMatchObject({ code: 'STORE_TIMEOUT', retryable: true });
    await database.transaction((transaction) => transaction.query(sleep), { isUnhurried: true });
    await expect(database.query(sleep)).rejects.toMatchObject({ code: 'STORE_TIMEOUT', retryable: true });
  });

  test('who waits too long for a lock is told to come again', async () => {
    const database = await bench.open('lock_timeout_ms=50');
    await database.script('create table if not exists locked (id int4)');

    await database.transaction(async (transaction) => {
      await transaction.query('lock table locked');
      await expect(database.query('select * from locked')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });
  });

  test('settings of the role or the database do not change what the service counts on', async () => {
    const settings = [
      'bytea_output = escape',
      'synchronous_commit = off',
      "default_transaction_isolation = 'serializable'",
    ];
    for (const setting of settings) await bench.ask(`alter database ${bench.name} set ${setting}`);
    onTestFinished(async () => void (await bench.ask(`alter database ${bench.name} reset all`)));

    const [row] = await (
      await bench.open()
    ).query(`
      select '\\x00ff'::bytea as bytes, current_setting('synchronous_commit') as commit,
             current_setting('transaction_isolation') as isolation`);

    expect(row).toEqual({ bytes: new Uint8Array([0, 255]), commit: 'on', isolation: 'read committed' });
  });

  test('a connection that is cut in a transaction fails that alone, and nothing of it is written', async () => {
    const database = await bench.open('pool_max=1');
    await database.script('create table if not exists cut (id int4)');

    for (let round = 0; round < 3; round++) {
      const attempt = database.transaction(async (transaction) => {
        const [row] = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
        await transaction.query('insert into cut values (1)');
        await bench.ask(`select pg_terminate_backend(${row?.pid})`);
        await transaction.query('insert into cut values (2)');
      });
      await expect(attempt).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    }

    expect(await database.query('select * from cut')).toEqual([]);
  });

  test('a connection that is cut between two statements of a transaction does not end the process', async () => {
    const database = await bench.open('pool_max=1');

    const attempt = database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
      await bench.ask(`select pg_terminate_backend(${row?.pid})`);
      await expect.poll(() => bench.ask(`select 1 from pg_stat_activity where pid = ${row?.pid}`)).toEqual([]);
    });

    await expect(attempt).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a connection that is cut at rest is replaced', async () => {
    const database = await bench.open('pool_max=1&application_name=resting');
    const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');

    await bench.ask(`select pg_terminate_backend(${row?.pid})`);

    const pid = async () => (await database.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
    await expect.poll(() => pid().catch(() => row?.pid)).not.toBe(row?.pid);
  });

  test('a commit whose answer is lost is told as one that may be repeated', async () => {
    let isMute = false;
    const url = await rewritingProxy(bench.url, (answer) => (isMute ? undefined : answer));
    // Our own limit is five seconds later than the server's.
    const database = await bench.open('statement_timeout_ms=300', url);
    await database.script('create table if not exists lost (id int4)');

    const attempt = database.transaction(async (transaction) => {
      await transaction.query('insert into lost values (1)');
      isMute = true;
    });

    await expect(attempt).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(await bench.ask('select id from lost')).toEqual([{ id: 1 }]);
  });

  test('closing does not wait for a server that hangs', async () => {
    let isMute = false;
    const url = await rewritingProxy(bench.url, (answer) => (isMute ? undefined : answer));
    const database = await openDatabase(url);

    isMute = true;

    await expect(database.close()).resolves.toBeUndefined();
  });

  test('closing ends what waits for a server that hangs, and for a connection', { timeout: 20_000 }, async () => {
    let isMute = false;
    const url = await rewritingProxy(bench.url, (answer) => (isMute ? undefined : answer));
    const database = await bench.open('pool_max=1', url);
    isMute = true;

    const unanswered = database.transaction((transaction) => transaction.query('select 1'), { isUnhurried: true });
    const both = Promise.allSettled([unanswered, database.query('select 2')]);
    await database.close();

    expect((await both).map((one) => one.status === 'rejected' && (one.reason as TidemarkError).code)).toEqual([
      'STORE_UNAVAILABLE',
      'STORE_UNAVAILABLE',
    ]);
  });
});
