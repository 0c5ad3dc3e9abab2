/** A backup of an embedded installation that is restored into servers, and back. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readersPassed, recordedIn } from '../../support/service/readers-passed.ts';
import { spawnCli } from '../../support/service/spawn-cli.ts';
import { canRunOnServers, onServers } from '../../support/service/server-settings.ts';
import type { ServiceProcess } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Services start, which takes a minute each on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const READ = { api_key: 'read-key-of-the-tests-0123456789abcdef' };

/** What callers see of users, events and the history of an audience. */
async function seen(service: ServiceProcess, audience: string): Promise<readonly unknown[]> {
  const paths = ['/v1/users/u0', '/v1/users/u1/events', `/v1/audiences/${audience}/changes`];
  return Promise.all(paths.map(async (path) => (await service.request(path)).text()));
}

describe.skipIf(!(await canRunOnServers()))('on servers', () => {
  test('an embedded installation moves to servers and back, with its receipts, users, events and audiences', async () => {
    const installed = await onServers();
    if (installed === undefined) throw new Error('there are no servers');
    onTestFinished(() => installed.drop());
    const root = await temporaryFolder();
    const [dataDir, backup, other] = [join(root, 'data'), join(root, 'backup'), join(root, 'backup-of-servers')];
    const embedded = await startedService(dataDir);
    const batch = Array.from({ length: 200 }, (_, index) => ({
      ...(index % 3 === 0 ? { type: 'identify', traits: { plan: 'pro' } } : { type: 'track', event: 'Paid' }),
      user_id: `u${index % 20}`,
    }));
    const receipt = await recordedIn(embedded, '/v1/batch', { batch });
    const saved = await embedded.request(
      '/v1/audiences',
      { name: 'Pro', definition: { trait: 'plan', is: 'pro' } },
      READ,
    );
    const { id } = (await saved.json()) as { id: string };
    await embedded.request(`/v1/audiences/${id}/evaluate`, {}, READ);
    const before = await seen(embedded, id);
    await embedded.stop();
    await spawnCli(['backup', backup], { DATA_DIR: dataDir });

    // The records have the ids of the program.
    const { SCHEMA_REGISTRY_URL: _, ...servers } = installed.settings;
    const settings = { ...servers, DATA_DIR: join(root, 'servers') };
    const restored = await spawnCli(['restore', backup, '--json'], settings);
    const onThem = await startedService(join(root, 'servers'), servers);
    await readersPassed(onThem, receipt);
    const there = await seen(onThem, id);
    const later = { user_id: 'u0', traits: { plan: 'free' } };
    const laterReceipt = await recordedIn(onThem, '/v1/identify', later);
    await spawnCli(['backup', other], settings);
    const after = await seen(onThem, id);
    await onThem.stop();

    const back = { DATA_DIR: join(root, 'back') };
    await spawnCli(['restore', other], back);
    const again = await startedService(back.DATA_DIR);
    await readersPassed(again, laterReceipt);

    expect(JSON.parse(restored)).toMatchObject({ number: 1 });
    expect(there).toEqual(before);
    expect(await seen(again, id)).toEqual(after);
    const verified = await spawnCli(['verify', '--since', 'all'], back);
    expect(verified).toMatch(/Equal\.\n/);
  });
});
