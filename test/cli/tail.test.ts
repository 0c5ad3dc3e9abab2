import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rowText } from '../../services/cli/tail.ts';
import type { Message } from '../../services/messages/message.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { identify, recordOf, track } from '../support/messages/messages.ts';
import { PROJECT, READ_KEY, ReadingServer, WRITE_KEY } from '../support/http/reading-server.ts';

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
  for (const topic of ['tidemark.identify', 'tidemark.track', 'tidemark.session']) server.recorded.records(topic, 0);
});
afterAll(() => server.stop());

const projectId = PROJECT.id;

function append(...messages: readonly Message[]): void {
  for (const message of messages) server.recorded.put(`tidemark.${message.type}`, 0, recordOf(message));
}

/** `tidemark tail` that has begun to listen. */
async function tailing(args: readonly string[], url = server.url): Promise<CliRun> {
  const env = { TIDEMARK_KEY: READ_KEY };
  const run = new CliRun(['tail', '--url', url, ...args], { env });
  await run.until(({ err }) => err.includes('Waiting for messages'));
  return run;
}

test('tail prints a line for each message from then on, and ends with 0 when it is interrupted', async () => {
  append(track({ projectId, userId: 'before', event: 'Paid' }));
  const run = await tailing(['--event', 'Paid']);

  append(
    track({ projectId, userId: 'ada', event: 'Ran' }),
    track({ projectId, userId: 'ada', event: 'Paid', properties: '{"amount":12345678901234567890}' }),
  );
  await run.until(({ lines }) => lines.length > 0);
  run.interrupt();

  expect(await run.code).toBe(0);
  expect(run.lines).toHaveLength(1);
  expect(run.out).toMatch(/^\d\d:\d\d:\d\d {2}track {5}Paid +ada +\{"amount":12345678901234567890\}\n$/);
  expect(run.err).not.toContain('interrupted');
});

test('tail passes every filter on', async () => {
  const byUser = await tailing(['--user', 'bob', '--type', 'identify', '--text', 'needle']);

  append(
    identify({ projectId, userId: 'bob', traits: '{"in":"hay"}' }),
    identify({ projectId, userId: 'ada', traits: '{"in":"a needle"}' }),
    track({ projectId, userId: 'bob', properties: '{"in":"a needle"}' }),
    identify({ projectId, userId: 'bob', traits: '{"in":"one needle"}' }),
  );
  await byUser.until(({ lines }) => lines.length > 0);

  expect(byUser.lines).toEqual([expect.stringMatching(/identify .*bob .*"one needle"/)]);
});

test('tail --json prints a line of JSON for each message, and says on standard error how many are not shown', async () => {
  const run = await tailing(['--event', 'Many', '--json']);

  append(...Array.from({ length: 60 }, (_, n) => track({ projectId, userId: `u${n}`, event: 'Many' })));
  await run.until(({ lines }) => lines.some((line) => line.includes('"u59"')));

  const rows = run.lines.map((line) => JSON.parse(line) as { user_id: string; event: string });
  expect(rows).toHaveLength(25);
  expect(rows.at(-1)).toMatchObject({ event: 'Many', user_id: 'u59' });
  expect(run.err).toMatch(/… 35 more messages not shown/);
});

test('tail connects again after a break and misses nothing', { timeout: 20_000 }, async () => {
  const proxy = await BreakableProxy.start(server.port);
  const run = await tailing(['--event', 'Broken'], proxy.url);

  append(track({ projectId, userId: 'one', event: 'Broken' }));
  await run.until(({ lines }) => lines.length === 1);
  proxy.break();
  append(track({ projectId, userId: 'two', event: 'Broken' }));
  await run.until(({ lines }) => lines.length === 2);
  run.interrupt();

  expect(await run.code).toBe(0);
  expect(run.lines.map((line) => /one|two/.exec(line)?.[0])).toEqual(['one', 'two']);
  expect(run.err).toMatch(/broke: connecting again …\nConnected again/);
});

test('tail says what is wrong: no service, no key, a wrong key, a wrong address', async () => {
  const wrong = [
    [[], {}],
    [['--key', 'nobody-has-this-key'], {}],
    [['--key', WRITE_KEY], {}],
    [['--key', 'a key'], {}],
    [['--key', READ_KEY, '--url', 'http://127.0.0.1:2'], {}],
    [['--key', READ_KEY, '--url', 'localhost:8080'], {}],
  ] as const;
  const runs = wrong.map(([args, env]) => new CliRun(['tail', '--url', server.url, ...args], { env }));

  expect(await Promise.all(runs.map(({ code }) => code))).toEqual([2, 2, 2, 2, 1, 2]);
  expect(runs.map(({ err }) => err)).toEqual([
    expect.stringContaining('--key or TIDEMARK_KEY') as string,
    expect.stringContaining('does not take this key') as string,
    expect.stringContaining('its scope is not read') as string,
    expect.stringContaining('The key has characters') as string,
    expect.stringContaining('No service answers at http://127.0.0.1:2 (ECONNREFUSED)') as string,
    expect.stringContaining('is not an address') as string,
  ]);
});

test('tail asks the address of HOST and PORT where no --url is given', async () => {
  const port = String(server.port);

  const run = new CliRun(['tail'], { env: { HOST: '0.0.0.0', PORT: port, TIDEMARK_KEY: READ_KEY } });

  await run.until(({ err }) => err.includes(`Waiting for messages at http://127.0.0.1:${port}`));
});

test('a row is cut to the width of the terminal, and cannot write to it what is no text', () => {
  const row = {
    type: 'track',
    event: 'Evil\u001b[2J\nname that is much longer than its column is',
    user_id: null,
    anonymous_id: 'a1',
    internal_id: 'x',
    received_at: '2026-11-24T10:00:00.000000Z',
    properties: { text: 'y'.repeat(500) },
  };

  const line = rowText(row, 80);

  expect(line).toHaveLength(80);
  expect(line).toMatch(/Evil \[2J name .*… {2}anonymous a1 +\{.*…$/);
  expect(rowText(row, undefined)).toContain('y'.repeat(500));
});

/** Passes connections on, and breaks those that are open. */
class BreakableProxy {
  readonly url: string;
  readonly #open: Set<Socket>;

  private constructor(url: string, open: Set<Socket>) {
    this.url = url;
    this.#open = open;
  }

  static async start(port: number): Promise<BreakableProxy> {
    const open = new Set<Socket>();
    const proxy = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      for (const socket of [client, upstream]) {
        open.add(socket);
        socket.on('error', () => undefined);
      }
      client.pipe(upstream).pipe(client);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const started = new BreakableProxy(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, open);
    onTestFinished(() => {
      started.break();
      proxy.close();
    });
    return started;
  }

  break(): void {
    for (const socket of this.#open) socket.destroy();
    this.#open.clear();
  }
}
