import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as requestOf, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { type Certificates, makeCertificates } from '../../../servers/certificates.ts';
import { type ClickHouse, startClickHouse } from '../../../servers/clickhouse.ts';
import { serverUrl } from '../../../servers/server.ts';
import { ask, insert, MessageMaker } from '../../../support/stores/analytics.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

// Whether one can be started here at all.
const isPossible = (await serverUrl('clickhouse')) !== undefined;

const NETWORKS = '<networks><ip>127.0.0.1</ip></networks><quota>default</quota>';
const PROFILES = '<reading><readonly>2</readonly></reading>';
const USERS = `
  <reader><password>r</password>${NETWORKS}<profile>reading</profile></reader>
  <narrow><password>n</password>${NETWORKS}<profile>default</profile>
    <grants><query>GRANT ALL ON narrow.*</query></grants></narrow>`;
const CLUSTER = `
  <remote_servers><halves>
    <shard><replica><host>127.0.0.1</host><port>1</port></replica></shard>
    <shard><replica><host>127.0.0.1</host><port>2</port></replica></shard>
  </halves></remote_servers>`;

describe.skipIf(!isPossible)('opening a ClickHouse server', () => {
  let folder: string;
  let server: ClickHouse;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    server = await startClickHouse({ folder, config: CLUSTER, users: USERS, profiles: PROFILES });
  });
  afterAll(async () => {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (user: string, rest: string): string => `http://${user}@127.0.0.1:${server.port}/${rest}`;

  test('opening a ClickHouse server creates the database', async () => {
    const store = await openAnalytics(at('tidemark:tidemark', 'made%20here'));

    expect(await ask(store, 'SELECT currentDatabase() AS name')).toEqual([{ name: 'made here' }]);
    await store.close();
  });

  test('a ClickHouse user with no right but to read can open a server whose tables exist', async () => {
    const maker = new MessageMaker();
    const writer = await openAnalytics(at('tidemark:tidemark', 'read'));
    await insert(writer, [maker.track()]);
    await writer.close();

    const reader = await openAnalytics(at('reader:r', 'read'));

    expect(
      await reader.userEvents({ projectId: maker.projectId, userKey: maker.track().userKey, limit: 9 }),
    ).toHaveLength(1);
    expect(await ask(reader, 'SELECT count() AS n FROM events')).toEqual([{ n: '1' }]);
    await expect(insert(reader, [maker.track()])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await reader.close();
  });

  test.each([
    ['a wrong password', 'tidemark:secret', 'read'],
    ['an unknown user', 'nobody:secret', 'read'],
    ['a user who may not make the database', 'narrow:n', 'elsewhere'],
    ['a user who may not make the tables', 'reader:r', 'tidemark'],
  ])('as %s is SERVER_DENIED, and the error does not tell the password', async (_, user, database) => {
    const error: unknown = await openAnalytics(at(user, database)).catch((reason: unknown) => reason);

    expect(error).toMatchObject({ code: 'SERVER_DENIED' });
    expect(printed(error)).not.toContain('secret');
  });

  test.each([
    ['not known', 'nothing'],
    ['several servers on one host', 'halves'],
  ])('opening with a cluster that cannot be used (%s) fails with CONFIG_INVALID', async (problem, cluster) => {
    await expect(openAnalytics(at('tidemark:tidemark', `x?cluster=${cluster}`))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(problem),
    });
  });

  describe('by TLS', () => {
    let tls: { port: number; caFile: string; close: () => void };
    beforeAll(async () => {
      const { caFile } = await makeCertificates(join(folder, 'certificates'));
      const pem = readFileSync(join(folder, 'certificates', 'server.pem'));
      const front = createTlsServer({ cert: pem, key: pem }, (socket) => {
        const behind = connect(server.port, '127.0.0.1');
        socket.pipe(behind).pipe(socket);
        socket.on('error', () => behind.destroy());
        behind.on('error', () => socket.destroy());
      });
      front.on('tlsClientError', () => undefined);
      tls = { port: await listening(front), caFile, close: () => front.close() };
    });
    afterAll(() => tls.close());

    test('opening over TLS works with the authority that signed the certificate of the server', async () => {
      const url = `https://tidemark:tidemark@127.0.0.1:${tls.port}/read?ca_file=${encodeURIComponent(tls.caFile)}`;
      const store = await openAnalytics(url);

      await expect(store.check()).resolves.toBeUndefined();
      await store.close();
    });

    test('opening over TLS fails with SERVER_DENIED where the certificate is not trusted, or the server speaks no TLS', async () => {
      const untrusted = openAnalytics(`https://tidemark:tidemark@127.0.0.1:${tls.port}/read`);
      await expect(untrusted).rejects.toMatchObject({ code: 'SERVER_DENIED' });

      const plain = openAnalytics(`https://tidemark:tidemark@127.0.0.1:${server.port}/read`);
      await expect(plain).rejects.toMatchObject({ code: 'SERVER_DENIED' });
    });

    test('a certificate of the user stands in place of a password', async () => {
      const certificates = await makeCertificates(join(folder, 'certified'));
      const port = await certifyingFront(certificates, server);
      const url = `https://certified@127.0.0.1:${port}/read?ca_file=${certificates.caFile}`;
      const store = await openAnalytics(`${url}&cert_file=${certificates.certFile}&key_file=${certificates.keyFile}`);
      onTestFinished(() => store.close());

      await expect(store.check()).resolves.toBeUndefined();
      await expect(openAnalytics(url)).rejects.toMatchObject({ code: 'SERVER_DENIED' });
    });

    test('opening over TLS fails with CONFIG_INVALID where the file of the authority is missing', async () => {
      const opening = openAnalytics(`https://127.0.0.1:${tls.port}/read?ca_file=${await temporaryFolder()}/ca.pem`);

      await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    });
  });
});

test('a server that nobody listens for is STORE_UNAVAILABLE', async () => {
  const server = createTcpServer();
  const port = await listening(server);
  server.close();

  await expect(openAnalytics(`http://127.0.0.1:${port}/x`)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    retryable: true,
  });
});

test('a server that does not answer is STORE_UNAVAILABLE', async () => {
  const server = createTcpServer((socket) => socket.resume());
  const port = await listening(server);
  onTestFinished(() => void server.close());

  await expect(openAnalytics(`http://127.0.0.1:${port}/x`)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
}, 15_000);

test.each(['18.16.1', '24.3.12.75', '25.7.9.9', 'unknown'])(
  'a server of version %s is SERVER_TOO_OLD',
  async (version) => {
    const server: Server = createServer((request, response) => {
      request.resume();
      response.end(`${JSON.stringify({ version })}\n`);
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());

    await expect(openAnalytics(`http://127.0.0.1:${port}/x`)).rejects.toMatchObject({ code: 'SERVER_TOO_OLD' });
  },
);

async function listening(server: ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Everything that a logger could print of an error. */
function printed(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.message, error.stack, JSON.stringify(error), printed(error.cause)].join('\n');
}

/**
 * As ClickHouse's own port for HTTPS does (https://clickhouse.com/docs/operations/ssl-x509), which the server of the tests lacks:
 * it takes the user named `certified` by the name in a certificate, if the request asks for that and has no password.
 */
async function certifyingFront({ folder, caFile }: Certificates, behind: ClickHouse): Promise<number> {
  const [pem, ca] = [readFileSync(join(folder, 'server.pem')), readFileSync(caFile)];
  const { origin, username, password } = new URL(behind.url);
  const front = createHttpsServer({ cert: pem, key: pem, ca, requestCert: true }, (request, response) => {
    const {
      'x-clickhouse-user': user,
      'x-clickhouse-key': key,
      'x-clickhouse-ssl-certificate-auth': auth,
    } = request.headers;
    const name = (request.socket as TLSSocket).getPeerCertificate().subject.CN;
    if (user !== 'certified' || key || auth !== 'on' || name !== 'tidemark') {
      response.writeHead(403).end();
      return;
    }
    const headers = { ...request.headers, 'x-clickhouse-user': username, 'x-clickhouse-key': password };
    delete (headers as object as Record<string, unknown>)['x-clickhouse-ssl-certificate-auth'];
    const passed = requestOf(origin + request.url, { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  onTestFinished(() => void front.close());
  return listening(front);
}
