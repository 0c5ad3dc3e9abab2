import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseMetrics, statusOf, type Observed } from '../../services/cli/service-status.ts';
import { CliRun } from '../support/cli-run.ts';
import { ADMIN_KEY, READ_KEY, ReadingServer } from '../support/reading-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: ReadingServer;

beforeAll(async () => (server = await ReadingServer.start()));
afterAll(() => server.stop());

const CALM: Observed = {
  url: 'http://127.0.0.1:8080',
  version: '0.2.0',
  readiness: { ready: true, parts: { profiles: 'ready', analytics: 'busy', eventLog: 'ready' } },
  before: metricsOf(0, 0),
  after: metricsOf(100, 0),
  seconds: 2,
  disk: { folder: '/data', free_bytes: 2 ** 40, used_bytes: 1 },
};

function metricsOf(messages: number, lag: number, more = ''): Observed['after'] {
  return parseMetrics(`# HELP tidemark_reader_lag_messages Messages
tidemark_ingest_messages_accepted_total{topic="tidemark.track"} ${messages}
tidemark_ingest_messages_accepted_total{topic="tidemark.identify"} ${messages}
tidemark_reader_messages_total{reader="projector"} ${messages}
tidemark_reader_lag_messages{reader="projector"} ${lag}
${more}`);
}

test('a service that is well has rates, lag and nothing that wants attention', () => {
  const { accepted_per_second: accepted, readers, attention } = statusOf({ ...CALM, after: metricsOf(100, 25) });

  expect(accepted).toBe(100);
  expect(readers).toEqual({ projector: { lag_messages: 25, lag_seconds: 0.5, messages_per_second: 50 } });
  expect(attention).toEqual([]);
});

test('the lag in seconds is null where the reader processes nothing, and 0 where there is no lag', () => {
  const lagSecondsOf = (lag: number): number | null | undefined =>
    statusOf({ ...CALM, after: metricsOf(0, lag) }).readers['projector']?.lag_seconds;

  expect([lagSecondsOf(5), lagSecondsOf(0)]).toEqual([null, 0]);
});

test.each<[string, Partial<Observed>, string]>([
  ['a service that is not ready', { readiness: { ready: false, parts: {} } }, 'service: it is not ready'],
  ['a part that is unreachable', { readiness: { ready: true, parts: { analytics: 'away' } } }, 'analytics: it is away'],
  ['a lag that grows', { after: metricsOf(0, 20_000) }, 'projector: its lag grows: 20000 messages'],
  [
    'a reader that repeats what fails',
    { after: metricsOf(0, 1, 'tidemark_reader_waiting_seconds{reader="projector"} 31') },
    'projector: it has repeated what fails for 31 s',
  ],
  [
    'dead letters',
    { after: metricsOf(0, 0, 'tidemark_reader_dead_letters_total{reader="projector"} 2') },
    'projector: 2 messages became dead letters',
  ],
  ['a spool in use', { after: metricsOf(0, 0, 'tidemark_spool_messages 7') }, 'spool: 7 messages wait'],
  [
    'a store that lacks messages',
    { after: metricsOf(0, 0, 'tidemark_verify_missing_messages{store="clickhouse"} 3') },
    'clickhouse: it lacks 3 messages',
  ],
  ['a full disk', { disk: { folder: '/data', free_bytes: 2 ** 29, used_bytes: 1 } }, 'disk: 512 MiB are free'],
])('%s wants attention', (_, change, expected) => {
  const { attention } = statusOf({ ...CALM, ...change });

  expect(attention.map(({ what, why }) => `${what}: ${why}`)).toEqual([expect.stringContaining(expected)]);
});

test('status asks a service, and exits with 0 where it is well and 1 where it is not', async () => {
  const well = new CliRun(['status', '--url', server.url]);
  expect(await well.code).toBe(0);
  server.ready = false;
  const unready = new CliRun(['status', '--url', server.url, '--json']);
  expect(await unready.code).toBe(1);
  server.ready = true;

  expect(well.out).toMatch(/^Tidemark \d+\.\d+\.\d+ at http:\S+ is ready\.\n/);
  expect(well.out).toContain('Nothing wants attention.');
  expect(JSON.parse(unready.out)).toMatchObject({
    up: true,
    ready: false,
    attention: [{ what: 'service', why: 'it is not ready: /readyz is 503' }],
  });
});

test('with a key of the installation, status says what an operator is told', async () => {
  const told = new CliRun(['status', '--url', server.url, '--key', ADMIN_KEY]);
  // This server has no readers, which it says.
  expect(await told.code).toBe(1);
  const json = new CliRun(['status', '--url', server.url, '--key', ADMIN_KEY, '--json']);
  expect(await json.code).toBe(1);
  const read = new CliRun(['status', '--url', server.url, '--key', READ_KEY, '--json']);
  expect(await read.code).toBe(2);

  expect(told.out).toMatch(/^Tidemark \d+\.\d+\.\d+ at http:\S+, role all, is ready\.\n/);
  expect(told.out).toContain('Wants attention:\n');
  expect(JSON.parse(json.out)).toMatchObject({ role: 'all', ready: true, attention: expect.any(Array) as unknown[] });
  expect(read.err).toContain('its scope is not admin');
});

test('status says where no service is up, and what the data folder of this machine takes', async () => {
  const dataDir = await temporaryFolder();

  const run = new CliRun(['status', '--json'], { env: { PORT: '2', DATA_DIR: dataDir } });

  expect(await run.code).toBe(1);
  const { up, disk, attention } = JSON.parse(run.out) as Record<string, unknown>;
  expect(up).toBe(false);
  expect(disk).toMatchObject({ folder: dataDir, used_bytes: 0 });
  expect(attention).toContainEqual({ what: 'service', why: expect.stringContaining('No service answers') as string });
});

test('status takes the key of the metrics where they ask for one, and no other key that opens nothing', async () => {
  const url = await withMetricsKey('metrics-key');

  const opened = new CliRun(['status', '--url', url, '--key', 'metrics-key']);
  const wrong = new CliRun(['status', '--url', url, '--key', 'another']);
  const none = new CliRun(['status', '--url', url]);

  expect([await opened.code, await wrong.code, await none.code]).toEqual([0, 2, 2]);
  expect(opened.out).toContain('is ready.');
  expect(wrong.err).toContain('does not take this key');
});

/** The answers of a service whose operator has given `/metrics` a key. */
async function withMetricsKey(key: string): Promise<string> {
  const service = createServer(({ url, headers }, response) => {
    const isOpen = url === '/' || url === '/readyz' || (url === '/metrics' && headers['api_key'] === key);
    response.statusCode = isOpen ? 200 : 401;
    response.end(url === '/metrics' ? '' : '{"name":"Tidemark","ready":true,"parts":{}}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}
