import { chown, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../../services/stores/database/open.ts';
import { type Certificates, makeCertificates } from '../../../servers/certificates.ts';
import { type Postgres, startPostgres } from '../../../servers/postgres.ts';
import { serverUrl } from '../../../servers/server.ts';

// Where the tests have no Postgres at all, they can start none here.
const canRun = (await serverUrl('postgres')) !== undefined;

describe.skipIf(!canRun)('over TLS', () => {
  let folder: string;
  let server: Postgres;
  let certificates: Certificates;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    // At an address, too, that the certificate does not name.
    const settings = { listen_addresses: '127.0.0.1,127.0.0.2' };
    server = await startPostgres({ folder: join(folder, 'server'), settings });
    certificates = await makeCertificates(join(folder, 'certificates'));
    await turnOnTls(server.url, join(folder, 'server', 'data'), certificates);
    while ((await attempt('sslmode=require')) !== 'encrypted') await delay(20);
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** `encrypted`, `plain` or the code of the error. */
  async function attempt(parameters: string, hostname = '127.0.0.1'): Promise<unknown> {
    const url = Object.assign(new URL(server.url), { hostname, search: parameters }).href;
    try {
      const database = await openDatabase(url);
      const [row] = await database.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
      await database.close();
      return row?.['ssl'] === true ? 'encrypted' : 'plain';
    } catch (error) {
      return (error as { code: unknown }).code;
    }
  }

  test('what was asked for is what happens', async () => {
    const ca = `sslrootcert=${certificates.caFile}`;

    expect(await attempt('sslmode=disable')).toBe('plain');
    expect(await attempt('sslmode=require')).toBe('encrypted');
    expect(await attempt(`sslmode=verify-full&${ca}`, 'localhost')).toBe('encrypted');
    expect(await attempt(`sslmode=verify-full&${ca}`)).toBe('encrypted');
    expect(await attempt(`sslmode=verify-ca&${ca}`, '127.0.0.2')).toBe('encrypted');
  });

  test('a certificate of an authority that nobody knows is not trusted', async () => {
    expect(await attempt('sslmode=verify-full')).toBe('SERVER_DENIED');
  });

  test('a certificate of another host is not trusted', async () => {
    const parameters = `sslmode=verify-full&sslrootcert=${certificates.caFile}`;

    expect(await attempt(parameters, '127.0.0.2')).toBe('SERVER_DENIED');
  });

  test('a certificate of another authority is not trusted, whatever its host', async () => {
    const other = await makeCertificates(join(folder, 'others'));

    expect(await attempt(`sslmode=require&sslrootcert=${other.caFile}`)).toBe('SERVER_DENIED');
  });
});

/** The server reads its key only where that is its own. */
async function turnOnTls(url: string, data: string, { folder }: Certificates): Promise<void> {
  const { uid, gid } = await stat(data);
  for (const file of ['server.pem', 'server.key']) {
    await copyFile(join(folder, file), join(data, file));
    await chown(join(data, file), uid, gid);
  }
  const database = await openDatabase(url);
  await database.query(`alter system set ssl_cert_file = 'server.pem'`);
  await database.query(`alter system set ssl_key_file = 'server.key'`);
  await database.query('alter system set ssl = on');
  await database.query('select pg_reload_conf()');
  await database.close();
}
