import { once } from 'node:events';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ServiceClient, ServiceUnreachable } from '../../services/cli/client/service-client.ts';
import { controlSocketPath } from '../../services/runtime/control-socket.ts';
import { lockFolder } from '../../services/runtime/folder-lock.ts';
import { type AdminServerOptions, serveAdmin } from '../support/http/admin-server.ts';
import { startProgram } from '../support/service/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the control socket', () => {
  test('the control socket answers plain HTTP without a key', async () => {
    const { client } = await serve();

    const response = await client.get('/v1/admin/projects');

    expect([response.status, await response.json()]).toEqual([200, { projects: [], next_cursor: null }]);
  });

  test('the control socket is open to its owner alone, in a folder open to its owner alone', async () => {
    const folder = join(await temporaryFolder(), 'data');
    await mkdir(folder, { mode: 0o755 });

    const { path } = await serve({}, folder);

    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await readdir(folder)).filter((name) => name.startsWith('.control'))).toEqual([]);
  });

  test('what a process left that died while it made the control socket is removed', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, '.control'));
    await chmod(join(folder, '.control'), 0o777);
    await writeFile(join(folder, '.control', 's'), '');

    const { client } = await serve({}, folder);

    expect((await client.get('/v1/admin/projects')).status).toBe(200);
    expect(await readdir(folder)).not.toContain('.control');
  });

  test('the mode of a folder that is not empty is left as it is', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'something'), '');
    await chmod(folder, 0o755);

    await serve({}, folder);

    expect((await stat(folder)).mode & 0o777).toBe(0o755);
  });

  test('the control socket replaces that of a service that was killed', async () => {
    const folder = await temporaryFolder();
    const killed = startProgram(['test/support/programs/control-holder.ts', folder]);
    expect(await killed.line()).toBe('serving');
    const client = new ServiceClient({ url: 'http://tidemark', socketPath: controlSocketPath(folder) }, undefined);
    expect((await client.get('/healthz')).status).toBe(200);
    await killed.kill();
    await expect(client.get('/healthz')).rejects.toBeInstanceOf(ServiceUnreachable);

    await serve({}, folder);

    expect((await client.get('/v1/admin/projects')).status).toBe(200);
  });

  test('the control socket does not replace a file that is not a socket', async () => {
    const folder = await temporaryFolder();
    await writeFile(controlSocketPath(folder), 'precious');

    await expect(serve({}, folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });

    expect(await readdir(folder)).toContain('control.sock');
  });

  test('a path that is too long for a socket is refused, and the longest that a socket can have works', async () => {
    const folder = await temporaryFolder();
    const most = (process.platform === 'linux' ? 107 : 103) - '/control.sock'.length - folder.length - 1;

    await expect(serve({}, join(folder, 'd'.repeat(200)))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const { client } = await serve({}, join(folder, 'd'.repeat(most)));

    expect((await client.get('/v1/admin/projects')).status).toBe(200);
  });

  test('a service that stops removes its socket, and may stop twice', async () => {
    const { client, path, stop } = await serve();

    await Promise.all([stop(), stop()]);

    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(client.get('/v1/admin/projects')).rejects.toBeInstanceOf(ServiceUnreachable);
  });
});

describe('the control socket with a client that misbehaves', () => {
  test.each([
    ['rubbish', 'what is this\n'],
    ['a request of the protocol before', '{"command":"project list"}\n'],
    ['a request without a host', 'GET /v1/admin/projects HTTP/1.1\r\n\r\n'],
    ['a head without an end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}`],
    ['bytes that are no text', '\xff\xfe\x00\n'],
  ])('the control socket refuses %s with 4xx and continues', async (_, sent) => {
    const { client, path } = await serve();
    const socket = await open(path);

    socket.write(sent, 'latin1');

    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await client.get('/v1/admin/projects')).status).toBe(200);
  });

  test('a client that does not send its request in time is disconnected', async () => {
    const { client, path } = await serve({ server: { headersTimeoutMs: 200, checkEveryMs: 50 } });
    const socket = await open(path);
    socket.resume();

    socket.write('GET /v1/ad');

    await once(socket, 'close');
    expect((await client.get('/v1/admin/projects')).status).toBe(200);
  });

  test('a client that does not read its answer is disconnected', async () => {
    const { path } = await serve({ server: { unreadTimeoutMs: 100, checkEveryMs: 20 } });
    const socket = await open(path);
    const broken = once(socket, 'error');
    socket.write('GET /v1/admin/dead-letters HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');

    const knocking = setInterval(() => socket.write('?'), 5);

    expect(await broken).toMatchObject([{ code: 'EPIPE' }]);
    clearInterval(knocking);
  });
});

/** With one short answer, of projects, and one that is long, of dead letters. */
async function serve(options: AdminServerOptions = {}, folder?: string) {
  const dataDir = folder ?? (await temporaryFolder());
  const lock = lockFolder(dataDir);
  onTestFinished(() => lock.release());
  const deadLetters = { list: async () => 'x'.repeat(5_000_000) } as never;
  return serveAdmin(dataDir, { deadLetters }, options);
}

async function open(path: string): Promise<Socket> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}
