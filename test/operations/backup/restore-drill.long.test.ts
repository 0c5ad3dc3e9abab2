/** The restore drill of docs/operations.md, run as it stands there against a service that goes on meanwhile. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { readersPassed, recordedIn } from '../../support/service/readers-passed.ts';
import { ADMIN_KEY, type ServiceProcess } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { placeAnalytics } from '../../support/stores/new-stores.ts';
import { freePort } from '../../servers/processes/ports.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Services start, which takes a minute each on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const ROOT = join(import.meta.dirname, '../../..');

/** The lines of the first shell block under the heading. */
function drill(): string {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').split('### The restore drill');
  return /```sh\n([^]*?)```/.exec(section)?.[1] ?? '';
}

test('the restore drill brings back users, events, audiences and receipts, and says that all is equal', async () => {
  const root = await temporaryFolder();
  const dataDir = join(root, 'data');
  const service = await startedService(dataDir);
  const batch = Array.from({ length: 300 }, (_, index) => ({
    ...(index % 3 === 0
      ? { type: 'identify', traits: { plan: index % 2 === 0 ? 'pro' : 'free' } }
      : { type: 'track', event: 'Paid', properties: { total: index } }),
    user_id: `u${index % 40}`,
  }));
  const receipt = await recordedIn(service, '/v1/batch', { batch });
  const definition = { trait: 'plan', is: 'pro' };
  const saved = await service.request('/v1/audiences', { name: 'Pro', definition, refresh: '1h' }, READ);
  const { id } = (await saved.json()) as { id: string };
  await service.request(`/v1/audiences/${id}/evaluate`, {}, READ);
  const endpoint = { url: 'https://receiver.example/hook', types: ['audience.changed'], initial: 'none' };
  expect((await service.request('/v1/endpoints', endpoint, READ)).status).toBe(201);
  const before = await seen(service, id);

  const port = String(await freePort());
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, DATA_DIR: dataDir, HOME: root };
  const shell = drill()
    .replaceAll('/backups/tidemark', join(root, 'backup'))
    .replaceAll('/tmp/drill', join(root, 'drill'))
    .replace('8099', port)
    // What was restored is looked at below.
    .replace('rm -rf', 'echo REMOVED');
  const { stdout } = await promisify(execFile)('sh', ['-ec', shell], { cwd: ROOT, env, timeout: 500_000 });

  expect(stdout).toContain('All is as it was written.');
  expect(stdout).toMatch(/Equal\.\n/);
  expect(stdout).toContain(`REMOVED ${join(root, 'drill')} ${join(root, 'drill.log')}`);
  await placeAnalytics(join(root, 'drill', 'analytics'));
  const restored = await startedService(join(root, 'drill'));
  expect(await seen(restored, id)).toEqual(before);
  await readersPassed(restored, receipt);
  const projectsOf = (one: ServiceProcess) => one.ask('/v1/admin/projects', undefined, { key: ADMIN_KEY });
  expect(await projectsOf(restored)).toEqual(await projectsOf(service));
  const { attention } = await restored.ask<{ attention: { code: string }[] }>('/v1/admin/status', undefined, {
    key: ADMIN_KEY,
  });
  expect(attention.map(({ code }) => code)).toContain('endpoints_paused');
  expect(await enabled(service)).toEqual([true]);
  expect(await enabled(restored)).toEqual([false]);
});

const READ = { api_key: 'read-key-of-the-tests-0123456789abcdef' };

async function enabled(service: ServiceProcess): Promise<readonly boolean[]> {
  const list = (await (await fetch(`${service.url}/v1/endpoints`, { headers: READ })).json()) as {
    endpoints: { enabled: boolean }[];
  };
  return list.endpoints.map((one) => one.enabled);
}

/** What callers see of users, events and the history of an audience. */
async function seen(service: ServiceProcess, audience: string): Promise<readonly unknown[]> {
  const paths = [
    '/v1/users/u0',
    '/v1/users/u1/events',
    `/v1/audiences/${audience}`,
    `/v1/audiences/${audience}/changes`,
  ];
  return Promise.all(paths.map(async (path) => (await service.request(path)).text()));
}
