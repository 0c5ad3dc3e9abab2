import { once } from 'node:events';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Command } from '../../../services/runtime/command.ts';
import { askControl } from '../../../services/runtime/control/client.ts';
import { ControlServer, type ControlServerOptions } from '../../../services/runtime/control/server.ts';
import { controlSocketPath, readLine } from '../../../services/runtime/control/socket.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import { startProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the control socket', () => {
  test('the control socket passes a command to its handler and the result back', async () => {
    const { path } = await serve({ 'say hello': async ({ name }) => ({ hello: name, list: [1, null] }) });

    const result = await askControl(path, 'say hello', { name: 'Zoë 🌊\n' });

    expect(result).toEqual({ hello: 'Zoë 🌊\n', list: [1, null] });
  });

  test('the control socket passes an error with its code', async () => {
    const { path } = await serve({
      fail: async () => {
        throw new TidemarkError('KEY_UNKNOWN', 'no such key');
      },
    });

    const asked = askControl(path, 'fail', {});

    await expect(asked).rejects.toMatchObject({ name: 'TidemarkError', code: 'KEY_UNKNOWN', message: 'no such key' });
  });

  test('the control socket passes the message of an error that is not a TidemarkError, and logs it', async () => {
    const { path, warnings } = await serve({ fail: () => Promise.reject(new RangeError('odd')) });

    await expect(askControl(path, 'fail', {})).rejects.toThrow('odd');

    expect(warnings).toHaveLength(1);
  });

  test('the control socket refuses an unknown command, also the name of a method that every object has', async () => {
    const { path } = await serve({});

    await expect(askControl(path, 'toString', {})).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test('a result that is not JSON is a failure of that command only', async () => {
    const { path } = await serve({ big: async () => 1n, ok: async () => 1 });

    await expect(askControl(path, 'big', {})).rejects.toThrow();

    expect(await askControl(path, 'ok', {})).toBe(1);
  });

  test('the control socket passes an answer of many megabytes', async () => {
    const long = 'é'.repeat(3_000_000);
    const { path } = await serve({ long: async () => long });

    expect(await askControl(path, 'long', {})).toBe(long);
  });

  test('a client that closes its side as soon as it has sent its request is answered', async () => {
    const { path } = await serve({ ok: async () => 'fine' });
    const socket = await open(path);

    socket.end('{"command":"ok"}\n');

    expect(await readLine(socket, 1_000)).toBe('{"result":"fine"}');
  });

  test('the control socket is open to its owner alone, in a folder open to its owner alone', async () => {
    const folder = join(await temporaryFolder(), 'data');
    await mkdir(folder, { mode: 0o755 });

    const { path } = await serve({}, {}, folder);

    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('the mode of a folder that is not empty is left as it is', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'something'), '');
    await chmod(folder, 0o755);

    await serve({}, {}, folder);

    expect((await stat(folder)).mode & 0o777).toBe(0o755);
  });

  test('the control socket replaces that of a service that was killed', async () => {
    const folder = await temporaryFolder();
    const killed = startProgram(['test/support/control-holder.ts', folder]);
    expect(await killed.line()).toBe('serving');
    expect(await askControl(controlSocketPath(folder), 'ping', {})).toBe(killed.child.pid);
    await killed.kill();
    await expect(askControl(controlSocketPath(folder), 'ping', {})).rejects.toMatchObject({
      code: 'CONTROL_UNAVAILABLE',
    });

    const { path } = await serve({ ping: async () => 'new' }, {}, folder);

    expect(await askControl(path, 'ping', {})).toBe('new');
  });

  test('the control socket does not replace a file that is not a socket', async () => {
    const folder = await temporaryFolder();
    await writeFile(controlSocketPath(folder), 'precious');

    await expect(serve({}, {}, folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });

    expect(await readdir(folder)).toContain('control.sock');
  });

  test('both ends refuse a path that is too long for a socket', async () => {
    const folder = join(await temporaryFolder(), 'd'.repeat(200));

    await expect(serve({}, {}, folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });

    await expect(askControl(controlSocketPath(folder), 'x', {})).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('the control socket works at the longest path that a socket can have', async () => {
    const folder = await temporaryFolder();
    const most = (process.platform === 'linux' ? 107 : 103) - '/control.sock'.length - folder.length - 1;

    const { path } = await serve({ ok: async () => 1 }, {}, join(folder, 'd'.repeat(most)));

    expect(await askControl(path, 'ok', {})).toBe(1);
  });
});

describe('the control socket with a client that misbehaves', () => {
  test.each([
    ['rubbish', 'GET / HTTP/1.1\n'],
    ['JSON that is no request', '[1]\n'],
    ['a command that is no string', '{"command":1}\n'],
    ['arguments that are no object', '{"command":"ok","args":[]}\n'],
    ['a line without an end', 'x'.repeat(1_100_000)],
    ['bytes that are no text', '\xff\xfe\x00\n'],
  ])('the control socket refuses %s and continues', async (_, sent) => {
    const { path } = await serve({ ok: async () => 1 });
    const socket = await open(path);

    socket.write(sent, 'latin1');

    expect(JSON.parse(await readLine(socket, 10_000))).toMatchObject({ error: { code: 'COMMAND_INVALID' } });
    expect(await askControl(path, 'ok', {})).toBe(1);
  });

  test('a client that sends no request, or not in time, is disconnected', async () => {
    const { path } = await serve({ ok: async () => 1 }, { requestTimeoutMs: 1_000 });
    const socket = await open(path);

    socket.write('{"comm');

    await once(socket, 'close');
    expect(await askControl(path, 'ok', {})).toBe(1);
  });

  test('a client that does not read its answer is disconnected', async () => {
    const { path } = await serve({ long: async () => 'x'.repeat(5_000_000) }, { answerTimeoutMs: 20 });
    const socket = await open(path);
    const broken = once(socket, 'error');
    socket.write('{"command":"long"}\n');
    await once(socket, 'readable');

    const knocking = setInterval(() => socket.write('?'), 5);

    expect(await broken).toMatchObject([{ code: 'EPIPE' }]);
    clearInterval(knocking);
  });

  test('a client that disconnects before its answer does not disturb the others', async () => {
    const { handler: slow, asked, go } = slowHandler();
    const { path } = await serve({ slow, ok: async () => 1 });
    const socket = await open(path);
    socket.write('{"command":"slow"}\n');
    await asked;

    socket.destroy();
    go();

    expect(await askControl(path, 'ok', {})).toBe(1);
  });
});

describe('stopping the control socket', () => {
  test('stopping finishes the command under way, disconnects idle clients, and removes the socket', async () => {
    const { handler, asked, go } = slowHandler();
    const { server, path } = await serve({ slow: handler }, { requestTimeoutMs: 60_000 });
    const idle = await open(path);
    const answer = askControl(path, 'slow', {});
    await asked;

    const stopped = Promise.all([server.stop(), server.stop()]);
    await once(idle, 'close');
    go();

    expect(await answer).toBe('done');
    await stopped;
    await expect(askControl(path, 'slow', {})).rejects.toMatchObject({ code: 'CONTROL_UNAVAILABLE' });
  });

  test('stopping does not wait for a command that never ends, and its client rejects with CONTROL_LOST', async () => {
    const { handler, asked } = slowHandler();
    const { server, path } = await serve({ never: handler }, { answerTimeoutMs: 20 });
    const answer = expect(askControl(path, 'never', {})).rejects.toMatchObject({ code: 'CONTROL_LOST' });
    await asked;

    await server.stop();

    await answer;
  });
});

describe('asking', () => {
  test('asking where no service listens rejects with CONTROL_UNAVAILABLE', async () => {
    const path = controlSocketPath(await temporaryFolder());

    await expect(askControl(path, 'x', {})).rejects.toMatchObject({ code: 'CONTROL_UNAVAILABLE', retryable: true });
  });

  test('asking a service that never answers rejects in time', async () => {
    const { path } = await serve({ never: () => new Promise(() => undefined) }, { answerTimeoutMs: 20 });

    const asked = askControl(path, 'never', {}, { timeoutMs: 20 });

    await expect(asked).rejects.toMatchObject({ code: 'CONTROL_LOST', retryable: false });
  });
});

/** `asked` resolves when the handler is called; it answers `done` after `go`. */
function slowHandler(): { handler: Command; asked: Promise<void>; go: () => void } {
  const asked = Promise.withResolvers<void>();
  const done = Promise.withResolvers<string>();
  const handler = (): Promise<string> => {
    asked.resolve();
    return done.promise;
  };
  return { handler, asked: asked.promise, go: () => done.resolve('done') };
}

async function serve(
  handlers: Record<string, Command>,
  options: ControlServerOptions = {},
  folder?: string,
): Promise<{ path: string; server: ControlServer; warnings: unknown[] }> {
  const dataDir = folder ?? (await temporaryFolder());
  const lock = lockFolder(dataDir);
  onTestFinished(() => lock.release());
  const warnings: unknown[] = [];
  const path = controlSocketPath(dataDir);
  const server = new ControlServer(path, handlers, { warn: (...args: unknown[]) => void warnings.push(args) }, options);
  onTestFinished(() => server.stop());
  await server.start();
  return { path, server, warnings };
}

async function open(path: string): Promise<Socket> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}
