/** Commands over HTTP: their progress, signs of life, and how their clients end them. */
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../../../services/cli/client/ask.ts';
import type { ServiceClient } from '../../../services/cli/client/service-client.ts';
import { operation } from '../../../schemas/operations.ts';
import type { CommandCall, Progress, Work } from '../../../services/runtime/command.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { type AdminServerOptions, serveAdmin } from '../../support/http/admin-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NDJSON = 'application/x-ndjson';
const EVERYTHING = { all: true } as const;
const DROPPING = { ...operation('POST /v1/admin/dead-letters/drop', { body: EVERYTHING }), streams: true };
const RAW = [
  `POST ${DROPPING.path} HTTP/1.1`,
  'Host: x',
  `Accept: ${NDJSON}`,
  'Content-Type: application/json',
  `Content-Length: ${JSON.stringify(EVERYTHING).length}`,
  'Connection: close',
  '',
  JSON.stringify(EVERYTHING),
].join('\r\n');

describe('a command under way', () => {
  test('a command reports its progress in order, before its result', async () => {
    const { client } = await serve(async ({ report }) => {
      for (let done = 1; done <= 3; done++) {
        report({ done, total: 3, unit: 'messages' });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return 'ready';
    });
    const heard: Progress[] = [];

    const result = await ask(client, DROPPING, { onProgress: (progress) => void heard.push(progress) });

    expect(result).toBe('"ready"');
    expect(heard).toEqual([1, 2, 3].map((done) => ({ done, total: 3, unit: 'messages' })));
  });

  test('progress reports that are not read take no memory, and the last one is not lost', async () => {
    const note = 'x'.repeat(1_000);
    const { client } = await serve(async ({ report }) => {
      for (let done = 1; done <= 50_000; done++) {
        report({ done, note });
        if (done % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    });

    const response = await streamFrom(client);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const lines = (await response.text()).trimEnd().split('\n');

    expect(lines.length).toBeLessThan(5_000);
    expect(lines.at(-2)).toContain('"done":50000');
    expect(lines.at(-1)).toBe('{"result":null}');
  });

  test('a command that reports nothing shows that it lives', async () => {
    const { client, go } = await serveUntilTold();
    const response = await streamFrom(client);
    let text = '';

    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.split('\n').length > 3) go();
    }

    expect(text).toMatch(/^(\{"progress":null\}\n){3,}\{"result":"done"\}\n$/);
  });

  test('a command is aborted when its caller disconnects, even silently', async () => {
    const { path, started, aborted } = await serveUntilTold();
    const socket = connect(path);
    socket.write(RAW);
    await started;

    socket.destroy();

    await aborted;
  });

  test('a command is not started for a caller that has cancelled before', async () => {
    let isStarted = false;
    const { client } = await serve(async () => (isStarted = true));

    const asked = ask(client, DROPPING, { signal: AbortSignal.abort(new Error('no more')) });

    await expect(asked).rejects.toThrow('no more');
    expect(isStarted).toBe(false);
  });

  test('a caller that cancels rejects with its own reason, and its command is aborted', async () => {
    const { client, started, aborted } = await serveUntilTold();
    const giving = new AbortController();
    const asked = expect(ask(client, DROPPING, { signal: giving.signal })).rejects.toThrow('no more');
    await started;

    giving.abort(new Error('no more'));

    await asked;
    await aborted;
  });

  test('a command is aborted when the service stops, and its caller is told', async () => {
    const { client, started, stop } = await serve(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    const asked = expect(ask(client, DROPPING)).rejects.toMatchObject({ code: 'STOPPING' });
    await started;

    await stop();

    await asked;
  });

  test('stopping does not wait for a command that never ends, and its caller rejects with CONTROL_LOST', async () => {
    const { client, started, stop } = await serve(() => new Promise(() => undefined), {
      jobs: { stopWithinMs: 20 },
    });
    const asked = expect(ask(client, DROPPING)).rejects.toMatchObject({ code: 'CONTROL_LOST', retryable: false });
    await started;

    await stop();

    await asked;
  });
});

describe('the result of a command', () => {
  test('an error arrives with its code', async () => {
    const { client } = await serve(() => Promise.reject(new TidemarkError('KEY_UNKNOWN', 'no such key')));
    const expected = { name: 'TidemarkError', code: 'KEY_UNKNOWN', message: 'no such key' };

    await expect(ask(client, DROPPING)).rejects.toMatchObject(expected);
  });

  test('an error that is not a TidemarkError arrives with its message, and is logged', async () => {
    const { client, lines } = await serve(() => Promise.reject(new RangeError('odd')));

    await expect(ask(client, DROPPING)).rejects.toThrow('odd');

    expect(lines).toEqual([expect.stringContaining('a command failed')]);
  });

  test('a result that is not JSON is a failure of that command only', async () => {
    let calls = 0;
    const { client } = await serve(async () => (++calls === 1 ? 1n : 1));

    await expect(ask(client, DROPPING)).rejects.toThrow();

    expect(await ask(client, DROPPING)).toBe('1');
  });

  test('an answer of many megabytes arrives whole', async () => {
    const long = 'é'.repeat(3_000_000);
    const { client } = await serve(async () => long);

    expect(JSON.parse(await ask(client, DROPPING))).toBe(long);
  });
});

function streamFrom(client: ServiceClient): Promise<Response> {
  const headers = { accept: NDJSON, 'content-type': 'application/json' };
  return client.fetch(DROPPING.path, { method: 'POST', headers, body: JSON.stringify(EVERYTHING) });
}

async function serve(work: Work, options: AdminServerOptions = {}) {
  const started = Promise.withResolvers<void>();
  const run: Work = (call) => {
    started.resolve();
    return work(call);
  };
  const commands = { 'dead-letters drop': (_: unknown, call: CommandCall) => run(call) };
  const served = await serveAdmin(await temporaryFolder(), { commands }, options);
  return { ...served, started: started.promise };
}

/** A command that ends when the test ends it, and ignores its signal. */
async function serveUntilTold() {
  const done = Promise.withResolvers<string>();
  const aborted = Promise.withResolvers<void>();
  const work: Work = ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve());
    return done.promise;
  };
  const served = await serve(work, { jobs: { signOfLifeMs: 5 } });
  const go = (): void => done.resolve('done');
  onTestFinished(go);
  return { ...served, go, aborted: aborted.promise };
}
