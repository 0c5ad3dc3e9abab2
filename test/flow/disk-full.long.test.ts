import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readersPassed } from '../support/service/readers-passed.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A disk of its own that can fill up: a small tmpfs, which only root on Linux can mount. 64 MiB of it are the reserve.
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const MEGABYTES = 80;

function mount(folder: string): void {
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=0700`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
}

function batchOf(count: number): object {
  const note = 'x'.repeat(4_000);
  const item = { type: 'track', user_id: 'ada', event: 'Filled', properties: { note } };
  return { batch: Array.from({ length: count }, () => item) };
}

function single(): object {
  return { user_id: 'ada', event: 'Filled', properties: { note: 'x'.repeat(30_000) } };
}

/** Posts it until it is refused; `accepted` requests were not. */
async function fill(
  service: ServiceProcess,
  path: string,
  body: object,
): Promise<{ accepted: number; refused: Response }> {
  for (let accepted = 0; ; accepted++) {
    const answer = await service.request(path, body);
    if (answer.status !== 200) return { accepted, refused: answer };
    await answer.body?.cancel();
  }
}

test.skipIf(!canMount)('a full disk is 503, and what comes after is taken again', { timeout: 240_000 }, async () => {
  const folder = await temporaryFolder();
  const disk = join(folder, 'disk');
  mount(disk);
  const service = await ServiceProcess.start(join(folder, 'data'), { EVENT_LOG_URL: `log:${disk}/event-log` });
  onTestFinished(async () => void (await service.stop()));

  const { accepted, refused } = await fill(service, '/v1/batch', batchOf(100));
  const problem = (await refused.json()) as { status: number; message_ids: string[] };
  const singles = await fill(service, '/v1/track', single());
  const problemWithOne = (await singles.refused.json()) as { message_ids: string[] };
  const ready = await service.request('/readyz');
  execFileSync('mount', ['-o', `remount,size=${MEGABYTES * 3}m`, disk]);
  const again = async (): Promise<number> => (await service.request('/v1/batch', batchOf(1))).status;
  await expect.poll(again, { timeout: 20_000, interval: 200 }).toBe(200);
  const last = (await (await service.request('/v1/batch', batchOf(1))).json()) as { receipt: string };
  await readersPassed(service, last.receipt);

  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(problem.message_ids).toHaveLength(100);
  expect(singles.refused.status).toBe(503);
  expect(problemWithOne.message_ids).toEqual([expect.any(String)]);
  expect(ready.status).toBe(503);
  expect(accepted).toBeGreaterThan(0);
  const definition = { event: 'Filled', count: { at_least: accepted * 100 + singles.accepted + 2 } };
  const preview = await service.request('/v1/audiences/preview', { definition });
  expect(await preview.json()).toMatchObject({ count: 1 });
});
