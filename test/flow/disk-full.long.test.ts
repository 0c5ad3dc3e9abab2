import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordedIn } from '../support/service/readers-passed.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SmallDisk } from '../torture/disks/small-disk.ts';

// 64 MiB of it are the reserve.
const MEBIBYTES = 80;

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

test.skipIf(!SmallDisk.canMount)(
  'a full disk is 503, and what comes after is taken again',
  { timeout: 240_000 },
  async () => {
    const folder = await temporaryFolder();
    const disk = await SmallDisk.mount(join(folder, 'disk'), 3 * MEBIBYTES);
    onTestFinished(() => disk.unmount());
    await disk.fill(MEBIBYTES * 1024);
    const service = await startedService(join(folder, 'data'), { EVENT_LOG_URL: `log:${disk.folder}/event-log` });

    const { accepted, refused } = await fill(service, '/v1/batch', batchOf(100));
    const problem = (await refused.json()) as { status: number; message_ids: string[] };
    const singles = await fill(service, '/v1/track', single());
    const problemWithOne = (await singles.refused.json()) as { message_ids: string[] };
    const ready = await service.request('/readyz');
    await disk.empty();
    const again = async (): Promise<number> => (await service.request('/v1/batch', batchOf(1))).status;
    await expect.poll(again, { timeout: 20_000, interval: 200 }).toBe(200);
    await recordedIn(service, '/v1/batch', batchOf(1));

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
  },
);
