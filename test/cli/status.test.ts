import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CliRun } from '../support/service/cli-run.ts';
import { ADMIN_KEY, READ_KEY, ReadingServer } from '../support/http/reading-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: ReadingServer;

beforeAll(async () => (server = await ReadingServer.start()));
afterAll(() => server.stop());

test('status asks a service, and exits with 0 where it is well and 1 where it is not', async () => {
  const well = new CliRun(['status', '--url', server.url]);
  expect(await well.code).toBe(0);
  server.ready = false;
  const unready = new CliRun(['status', '--url', server.url, '--json']);
  expect(await unready.code).toBe(1);
  server.ready = true;

  expect(well.out).toMatch(/^Tidemark at http:\S+ is ready\.\n/);
  expect(well.out).toContain('Nothing wants attention.');
  expect(JSON.parse(unready.out)).toMatchObject({
    up: true,
    ready: false,
    attention: [{ code: 'not_ready', reason: 'the service is not ready', link: 'docs/operations.md#is-it-up' }],
  });
});

test('without a key, status says which parts want attention: those that are neither ready nor busy', async () => {
  const parts = { ingest: 'ready', analytics: 'away', profiles: 'busy' };
  const url = await answering({ '/readyz': JSON.stringify({ ready: true, parts }) });

  const run = new CliRun(['status', '--url', url], {});

  expect(await run.code).toBe(1);
  expect(run.out).toContain('  not_ready: analytics is away (docs/operations.md#is-it-up)\n');
  expect(run.out).not.toContain('profiles is');
});

test('with a key of the installation, status says what an operator is told', async () => {
  const told = new CliRun(['status', '--url', server.url, '--key', ADMIN_KEY]);
  // This server has no readers, which it says.
  expect(await told.code).toBe(1);
  const json = new CliRun(['status', '--url', server.url, '--key', ADMIN_KEY, '--json']);
  expect(await json.code).toBe(1);
  const read = new CliRun(['status', '--url', server.url, '--key', READ_KEY, '--json']);
  expect(await read.code).toBe(2);

  expect(told.out).toMatch(/^Tidemark \d+\.\d+\.\d+\S* at http:\S+, role all, is ready\.\n/);
  expect(told.out).toContain('Wants attention:\n');
  expect(JSON.parse(json.out)).toMatchObject({ role: 'all', ready: true, attention: expect.any(Array) as unknown[] });
  expect(read.err).toContain('its scope is not admin');
});

test('a key of the environment that is not an admin key does not keep status from its answer', async () => {
  const run = new CliRun(['status', '--url', server.url, '--json'], { env: { TIDEMARK_KEY: READ_KEY } });

  expect(await run.code).toBe(0);
  expect(JSON.parse(run.out)).toMatchObject({ up: true, ready: true, attention: [] });
});

test('status says where no service is up, or what answers is not one', async () => {
  const env = { PORT: '2', DATA_DIR: await temporaryFolder() };
  const none = new CliRun(['status', '--json'], { env });
  const other = new CliRun(['status', '--json', '--url', await answering({ '/readyz': 'hello' })], {});

  expect([await none.code, await other.code]).toEqual([1, 1]);
  const told = [none, other].map(({ out }) => JSON.parse(out) as { up: boolean; attention: { reason: string }[] });
  expect(told.map(({ up }) => up)).toEqual([false, false]);
  expect(told[0]?.attention[0]?.reason).toContain('No service answers');
  expect(told[1]?.attention[0]?.reason).toBe('What answers there is not Tidemark.');
});

test('status takes no key that opens nothing', async () => {
  const run = new CliRun(['status', '--url', server.url, '--key', 'another']);

  expect(await run.code).toBe(2);
  expect(run.err).toContain('does not take this key');
});

/** A server with these answers, by their paths. */
async function answering(bodies: Readonly<Record<string, string>>): Promise<string> {
  const service = createServer(({ url = '' }, response) => {
    response.statusCode = url in bodies ? 200 : 404;
    response.end(bodies[url]);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}
