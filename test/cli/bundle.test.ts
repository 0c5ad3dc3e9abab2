/** `tidemark status --bundle`: what is in the file, and what must not be in it. */
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CliRun } from '../support/service/cli-run.ts';
import { identify, recordOf } from '../support/messages/messages.ts';
import { appendToOwnLog, withOwnLog } from '../support/service/own-log.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { ADMIN_KEY, READ_KEY, type ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { answer, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const PATIENCE = { timeout: 60_000, interval: 500 };
const METRICS_KEY = 'metrics-key-of-the-tests-0123456789abcdef';

interface Bundle {
  readonly program: Record<string, string>;
  readonly settings: Record<string, string>;
  readonly status: { readonly version: string; readonly attention: readonly { readonly code: string }[]; up?: boolean };
  readonly diagnosis: Record<string, Record<string, string> | null>;
  readonly metrics: readonly string[];
}

async function bundled(env: Record<string, string>, ...options: readonly string[]) {
  const file = join(await temporaryFolder(), 'bundle.json');
  // What was there before does not lend its mode.
  await writeFile(file, 'before', { mode: 0o644 });
  const run = new CliRun(['status', '--bundle', file, ...options], { env });
  expect([await run.code, run.err]).toEqual([0, '']);
  expect(run.out).toBe(`${file} is written. Read it before you send it.\n`);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  const text = readFileSync(file, 'utf8');
  return { text, bundle: JSON.parse(text) as Bundle };
}

/** Every value that people and callers have given, each of which can be told by its `zebra`. */
async function giveValues(service: ServiceProcess): Promise<void> {
  const asAdmin = { key: ADMIN_KEY };
  const { id } = await service.ask<{ id: string }>('/v1/admin/projects', { name: 'Zebra Shop' }, asAdmin);
  await service.ask(`/v1/admin/projects/${id}/keys`, { scopes: ['write'], name: 'Zebra key' }, asAdmin);
  const batch = [
    { type: 'identify', user_id: 'zebra-user', traits: { zebra_trait: 'zebra-value' } },
    { type: 'track', user_id: 'zebra-user', event: 'Zebra Event', properties: { zebra_property: 'zebra' } },
  ];
  await recordedIn(service, '/v1/batch', { batch });
  const invalid = { user_id: 'zebra-user', event: 7, properties: { zebra_property: 'zebra' } };
  expect((await service.request('/v1/track', invalid)).status).toBe(400);
  const sent = { user_id: 'zebra-user', event: 'Zebra Event' };
  const stranger = { api_key: `zebra-key-${'0'.repeat(32)}` };
  expect((await service.request('/v1/track', sent, stranger)).status).toBe(401);
  expect((await service.request('/v1/track', sent, { origin: 'https://zebra.example' })).status).toBe(403);
  const definition = { trait: 'zebra_trait', is: 'zebra-value' };
  const audience = await service.ask<{ id: string }>('/v1/audiences', { name: 'Zebras', definition });
  const receiver = await WebhookReceiver.start();
  receiver.answering = answer(500);
  const url = `${receiver.url}?zebra=zebra`;
  await service.ask('/v1/endpoints', { url, description: 'Zebra', initial: 'members', audiences: [audience.id] });
  await service.ask(`/v1/audiences/${audience.id}/evaluate`, undefined, { method: 'POST' });
  await expect.poll(() => receiver.received.length, PATIENCE).toBeGreaterThan(0);
}

test(
  'the bundle has every section, and nothing that users, callers and keys have given',
  { timeout: 240_000 },
  async () => {
    const dataDir = await temporaryFolder();
    const settings = { ...withOwnLog(dataDir), METRICS_KEY, WEBHOOK_ALLOW: '127.0.0.0/8' };
    const service = await startedService(dataDir, settings);
    await giveValues(service);
    // Postgres has no text with a NUL.
    const letter = recordOf(
      identify({ projectId: 'zebra-project', userId: 'zebra-user\0', traits: '{"zebra":"zebra"}' }),
    );
    await appendToOwnLog(dataDir, [{ topic: 'tidemark.identify', ...letter }]);
    const found = async () => {
      const { diagnosis, status } = (await bundled({ DATA_DIR: dataDir })).bundle;
      return { ...diagnosis['failures'], codes: status.attention.map(({ code }) => code) };
    };
    await expect.poll(found, PATIENCE).toMatchObject({
      'dead letter projector STORE_REJECTED': '1',
      'refused invalid-body': '1',
      'refused unauthorized': '1',
      'endpoint failing': '1',
      codes: expect.arrayContaining(['dead_letters_waiting']),
    });

    const { text, bundle } = await bundled({ DATA_DIR: dataDir });

    for (const value of ['zebra', WRITE_KEY, READ_KEY, ADMIN_KEY, METRICS_KEY, ...startsOf('zebra-key-'), '127.0.0.1:'])
      expect(text.toLowerCase(), value).not.toContain(value);
    expect(bundle.program).toEqual({
      version: bundle.status.version,
      node: process.version,
      platform: expect.any(String),
    });
    expect(bundle.diagnosis['program']).toEqual(bundle.program);
    expect(bundle.diagnosis['settings']).toMatchObject({
      INITIAL_WRITE_KEY: '…',
      METRICS_KEY: '…',
      SCHEMA_REGISTRY_URL: '',
      PROFILES_URL: `pglite:${dataDir}/profiles`,
      WEBHOOK_ALLOW: '127.0.0.0/8',
    });
    expect(bundle.settings).toMatchObject({ DATA_DIR: dataDir, METRICS_KEY: '' });
    expect(bundle.diagnosis).toMatchObject({
      log: { 'tidemark.track': '4 partitions, kept for ever' },
      profiles_settings: { server_encoding: 'UTF8', fsync: expect.any(String) },
      profiles_migrations: { '001-projects.sql': expect.stringMatching(/^20/) },
      analytics_settings: { version: expect.stringMatching(/^\d+\./) },
      analytics_migrations: expect.any(Object),
    });
    expect(Object.keys(bundle.diagnosis['analytics_migrations'] ?? {}).length).toBeGreaterThan(3);
    expect(bundle.metrics).toContain('tidemark_dead_letters_waiting 1');
  },
);

/** As a list of strangers would show a key. */
function startsOf(key: string): readonly string[] {
  return [`${key.slice(0, 8)}…`];
}

test('why an erasure waits, and who was refused last, is not in the bundle', async () => {
  const attention = [
    { code: 'erasure_waits', reason: 'zebra', link: 'docs/forget.md#what-to-watch' },
    { code: 'backup_missing', reason: 'never', link: 'docs/operations.md#backup-and-restore' },
  ];
  const without = { last_minute: 1, today: { unauthorized: 1 }, last: { message: 'from 192.0.2.17: zebra' } };
  const status = { role: 'all', attention, erasures_wait_because: 'zebra', without_project: without };
  const bodies: Record<string, string> = { '/v1/admin/status': JSON.stringify(status), '/metrics': 'm 1' };
  const service = createServer(({ url = '' }, response) => response.end(bodies[url] ?? '{}'));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());

  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const { text, bundle } = await bundled({ TIDEMARK_KEY: 'a-key' }, '--url', url);

  expect(text).not.toMatch(/zebra|192\.0\.2|a-key/);
  expect(bundle.status).toEqual({
    role: 'all',
    attention: [{ code: 'erasure_waits', link: attention[0]?.link }, attention[1]],
  });
  expect(bundle.metrics).toEqual(['m 1']);
});

test('where no service answers, the bundle has what there is, and says what is missing', async () => {
  const { bundle } = await bundled({ PORT: '2', DATA_DIR: await temporaryFolder() });

  expect(bundle.status).toMatchObject({ up: false, attention: [{ code: 'not_ready' }] });
  for (const section of [bundle.diagnosis, bundle.metrics])
    expect(section).toEqual({ missing: expect.stringContaining('No service answers') });
  expect(bundle.settings).toMatchObject({ PORT: '2' });
});

test('where the settings are wrong, the bundle says so, and shows no secret', async () => {
  const env = { INITIAL_READ_KEY: 'hunter2', PROFILES_URL: 'mysql://u:hunter2@host/db' };
  const { text, bundle } = await bundled(env, '--url', 'http://127.0.0.1:2');

  expect(bundle.settings).toEqual({ missing: expect.stringContaining('PROFILES_URL') });
  expect(text).not.toContain('hunter2');
});
