import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storeError } from '../../../../services/stores/database/errors.ts';
import { openDatabase } from '../../../../services/stores/database/open.ts';
import { freePort } from '../../../servers/processes/ports.ts';
import { serverUrl } from '../../../servers/server.ts';
import { PostgresBench } from '../../../support/stores/postgres.ts';
import { printed } from '../../../support/service/printed.ts';
import { rewritingProxy } from '../../../support/http/rewriting-proxy.ts';

const server = await serverUrl('postgres');

describe.skipIf(server === undefined)('what is wrong with the server or the URL is told for what it is:', () => {
  const bench = new PostgresBench(server);

  async function failure(url: string): Promise<unknown> {
    try {
      const database = await openDatabase(url);
      await database.close();
      return 'none';
    } catch (error) {
      return error;
    }
  }

  test.each([
    ['a wrong password', { password: 'sesame' }],
    ['no password', { password: '' }],
    ['an unknown role', { username: 'nobody_of_that_name' }],
    ['an unknown database', { pathname: '/no_such_database' }],
    ['TLS asked of a server that has none', { search: 'sslmode=require' }],
  ])('%s', async (_, change) => {
    const secrets = ['sesame', new URL(bench.url).password.replace('tidemark', 'sesame')];

    const error = await failure(bench.changed(change));

    expect(error).toMatchObject({ code: 'SERVER_DENIED', retryable: false });
    for (const secret of secrets) expect(printed(error)).not.toContain(secret);
  });

  test('a server that was refused holds no connection open', async () => {
    await failure(bench.changed({ password: '' }));

    const signingIn = `select 1 from pg_stat_activity where backend_type = 'client backend' and usename is null`;
    await expect.poll(() => bench.ask(signingIn)).toEqual([]);
  });

  test('a database that the role may not connect to', async () => {
    await bench.ask(`create role visitor login password 'sesame'`);
    await bench.ask(`revoke connect on database ${bench.name} from public`);
    onTestFinished(async () => void (await bench.ask('drop role visitor')));

    const error = await failure(bench.changed({ username: 'visitor', password: 'sesame' }));

    expect(error).toMatchObject({ code: 'SERVER_DENIED' });
  });

  test('a server that is not there', async () => {
    const port = await freePort();

    const error = await failure(bench.changed({ port: String(port) }));

    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(printed(error)).toContain('ECONNREFUSED');
  });

  test('a name that nobody knows', async () => {
    const error = await failure(bench.changed({ hostname: 'postgres.invalid' }));

    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  test('a server that never answers', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void silent.close());
    const port = String((silent.address() as AddressInfo).port);

    const error = await failure(bench.changed({ port, search: 'connect_timeout_ms=200' }));

    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  test('a server that is too old', async () => {
    // The version of the real one, passed on as 13.
    const old = (answer: Buffer) => Buffer.from(answer.toString('latin1').replace(/1[4-9]0(\d{3})/, '130$1'), 'latin1');

    const error = await failure(await rewritingProxy(bench.url, old));

    expect(error).toMatchObject({ code: 'SERVER_TOO_OLD', retryable: false });
  });

  test('a database that cannot hold every text', async () => {
    const latin = `${bench.name}_latin`;
    await bench.ask(`create database ${latin} template template0 encoding latin1 locale 'C'`);
    onTestFinished(async () => void (await bench.ask(`drop database ${latin} with (force)`)));

    const error = await failure(bench.changed({ pathname: latin }));

    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

test('error messages omit the text of a server that speaks another language than English', () => {
  const german = new Error('ungültige Eingabesyntax für Typ integer: »ada@example.com«');

  expect(printed(storeError(german, '22P02'))).not.toContain('ada@example.com');
});
