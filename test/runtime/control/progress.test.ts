import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Command, Progress } from '../../../services/runtime/command.ts';
import { askControl } from '../../../services/runtime/control/client.ts';
import { ControlServer, type ControlServerOptions } from '../../../services/runtime/control/server.ts';
import { controlSocketPath, linesOf } from '../../../services/runtime/control/socket.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a command under way', () => {
  test('a command reports its progress in order, before its result', async () => {
    const { path } = await serve(async (_, { report }) => {
      for (let done = 1; done <= 3; done++) report({ done, total: 3, unit: 'messages' });
      return 'ready';
    });
    const heard: Progress[] = [];

    const result = await askControl(path, 'work', {}, { onProgress: (progress) => void heard.push(progress) });

    expect(result).toBe('ready');
    expect(heard).toEqual([1, 2, 3].map((done) => ({ done, total: 3, unit: 'messages' })));
  });

  test('progress reports that are not read take no memory, and the last one is not lost', async () => {
    const note = 'x'.repeat(1_000);
    const { path } = await serve(async (_, { report }) => {
      for (let done = 1; done <= 50_000; done++) report({ done, note });
    });
    const socket = connect(path);
    onTestFinished(() => void socket.destroy());
    socket.write('{"command":"work"}\n');

    const lines: string[] = [];
    for await (const line of linesOf(socket, 10_000)) if (line !== '') lines.push(line);

    expect(lines.length).toBeLessThan(5_000);
    expect(lines.at(-2)).toContain('"done":50000');
    expect(lines.at(-1)).toBe('{}');
  });

  test('a command is waited for as long as the service shows that it is alive', async () => {
    const { path, go } = await serveUntilTold({ signOfLifeMs: 5 });
    const asked = askControl(path, 'work', {}, { timeoutMs: 2_000 });

    // Longer than the caller's own timeout, which only signs of life extend.
    setTimeout(go, 3_000);

    expect(await asked).toBe('done');
  });

  test('a command is aborted when its caller disconnects, even silently', async () => {
    const { path, started, aborted } = await serveUntilTold({ signOfLifeMs: 5 });
    const socket = connect(path);
    socket.write('{"command":"work"}\n');
    await started;

    socket.destroy();

    await aborted;
  });

  test('a command continues where its caller has only closed its side', async () => {
    const { path, started, go, signal } = await serveUntilTold({ signOfLifeMs: 5 });
    const socket = connect(path);
    onTestFinished(() => void socket.destroy());
    socket.end('{"command":"work"}\n');
    await started;
    await once(socket, 'data');

    go();

    const lines: string[] = [];
    for await (const line of linesOf(socket, 10_000)) lines.push(line);
    expect(lines.at(-1)).toBe('{"result":"done"}');
    expect(signal().aborted).toBe(false);
  });

  test('a command is aborted when its caller cancels, which waits for the end and rejects with its own reason', async () => {
    let isOver = false;
    const { path } = await serve(async (_, { report, signal }) => {
      report({ done: 1 });
      await once(signal, 'abort');
      await new Promise((resolve) => setImmediate(resolve));
      isOver = true;
      signal.throwIfAborted();
    });
    const giving = new AbortController();

    const asked = askControl(
      path,
      'work',
      {},
      { signal: giving.signal, onProgress: () => giving.abort(new Error('no more')) },
    );

    await expect(asked).rejects.toThrow('no more');
    expect(isOver).toBe(true);
  });

  test('a command is not started for a caller that has cancelled before', async () => {
    const path = controlSocketPath(await temporaryFolder());

    const asked = askControl(path, 'work', {}, { signal: AbortSignal.abort(new Error('no more')) });

    await expect(asked).rejects.toThrow('no more');
  });

  test('a command is aborted when the service stops, and its caller is told', async () => {
    const { path, server, started } = await serve(
      (_, { signal }) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const asked = expect(askControl(path, 'work', {})).rejects.toMatchObject({ code: 'STOPPING' });
    await started;

    await server.stop();

    await asked;
  });
});

async function serve(
  work: Command,
  options: ControlServerOptions = {},
): Promise<{ path: string; server: ControlServer; started: Promise<void> }> {
  const started = Promise.withResolvers<void>();
  const begin: Command = (args, call) => {
    started.resolve();
    return work(args, call);
  };
  const path = controlSocketPath(await temporaryFolder());
  const server = new ControlServer(path, { work: begin }, { warn: () => undefined }, options);
  onTestFinished(() => server.stop());
  await server.start();
  return { path, server, started: started.promise };
}

/** A command that ends when the test ends it, and ignores its signal. */
async function serveUntilTold(options: ControlServerOptions) {
  const done = Promise.withResolvers<string>();
  const aborted = Promise.withResolvers<void>();
  let seen: AbortSignal | undefined;
  const served = await serve((_, { signal }) => {
    seen = signal;
    signal.addEventListener('abort', () => aborted.resolve());
    return done.promise;
  }, options);
  const go = (): void => done.resolve('done');
  onTestFinished(go);
  return { ...served, go, aborted: aborted.promise, signal: () => seen! };
}
