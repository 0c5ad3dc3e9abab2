/** The embedded service is started again while its disk has less free than it keeps in reserve. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../servers/processes/ports.ts';
import { ADMIN_KEY, ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { SmallDisk } from '../torture/disks/small-disk.ts';

const ROOT = join(import.meta.dirname, '../..');

/** It need not become ready. */
async function startAgain(dataDir: string) {
  const port = await freePort();
  const child = spawn('sh', ['services/start.sh'], {
    cwd: ROOT,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, DATA_DIR: dataDir, PORT: String(port) },
    stdio: 'ignore',
  });
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const ask = async (path: string, init: RequestInit = {}): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status ?? 0;
  };
  return {
    isRunning: () => child.exitCode === null && child.signalCode === null,
    track: () =>
      ask('/v1/track', {
        method: 'POST',
        headers: { api_key: WRITE_KEY, 'content-type': 'application/json' },
        body: '{"user_id":"ada","event":"Paid"}',
      }),
    healthy: () => ask('/healthz'),
    projects: () => ask('/v1/admin/projects', { headers: { api_key: ADMIN_KEY } }),
    stop: async (): Promise<unknown> => {
      child.kill('SIGTERM');
      return (await exit)[0];
    },
  };
}

describe.skipIf(!SmallDisk.canMount)('a restart on a disk with little room', () => {
  let [folder, dataDir] = ['', ''];
  let disk: SmallDisk;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    disk = await SmallDisk.mount(join(folder, 'disk'), 700);
    dataDir = join(disk.folder, 'data');
    const before = await ServiceProcess.start(dataDir);
    await before.stop();
  });
  afterAll(async () => {
    await disk?.unmount();
    await rm(folder, { recursive: true, force: true });
  });

  // Each start takes seconds, and a minute on a busy machine.
  test.each([
    [99, 200],
    [40, 503],
    [1, 503],
  ])(
    'with %d MiB free it answers, %d to messages, and goes on once there is room',
    { timeout: 600_000 },
    async (mebibytes, status) => {
      await disk.fill(mebibytes * 1_024);

      const service = await startAgain(dataDir);
      await expect.poll(service.track, { timeout: 300_000, interval: 500 }).toBe(status);
      expect([await service.healthy(), service.isRunning()]).toEqual([200, true]);
      await disk.empty();

      await expect.poll(service.track, { timeout: 300_000, interval: 500 }).toBe(200);
      await expect.poll(service.projects, { timeout: 60_000 }).toBe(200);
      expect(await service.stop()).toBe(0);
    },
  );
});
