import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordedIn } from '../support/service/readers-passed.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SmallDisk } from '../torture/disks/small-disk.ts';

// 64 MiB of each are the reserve.
const MEBIBYTES = 80;

/** A disk that grows once it is emptied. */
async function mount(folder: string): Promise<SmallDisk> {
  const disk = await SmallDisk.mount(folder, 3 * MEBIBYTES);
  onTestFinished(() => disk.unmount());
  await disk.fill(MEBIBYTES * 1024);
  return disk;
}

const NOTE = 'x'.repeat(4_000);
const BATCH = {
  batch: Array.from({ length: 100 }, () => ({
    type: 'track',
    user_id: 'ada',
    event: 'Filled',
    properties: { note: NOTE },
  })),
};

interface Accepted {
  readonly receipt: string | null;
}

interface Ready {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/** Posts batches until one is answered otherwise than these were; how many were answered so. */
async function fill(service: ServiceProcess, isSo: (status: number, body: Accepted) => boolean): Promise<number> {
  for (let count = 0; ; count++) {
    const answer = await service.request('/v1/batch', BATCH);
    if (!isSo(answer.status, (await answer.json()) as Accepted)) return count;
  }
}

async function readinessOf(service: ServiceProcess): Promise<Ready> {
  return (await (await service.request('/readyz')).json()) as Ready;
}

test.skipIf(!SmallDisk.canMount)(
  'the spool takes over when the disk of the log is full, with its own disk full too requests get 503, and with room everything counts once',
  { timeout: 240_000 },
  async () => {
    const folder = await temporaryFolder();
    const [logDisk, spoolDisk] = [await mount(join(folder, 'log')), await mount(join(folder, 'spool'))];
    const settings = { EVENT_LOG_URL: `log:${logDisk.folder}/event-log`, SPOOL_DIR: spoolDisk.folder };
    const service = await startedService(join(folder, 'data'), settings);

    const logged = await fill(service, (status, { receipt }) => status === 200 && receipt !== null);
    const full = await readinessOf(service);
    // The one that ended the first count was spooled.
    const spooled = 1 + (await fill(service, (status) => status === 200));
    expect([logged > 0, spooled > 3]).toEqual([true, true]);
    expect(full).toMatchObject({ ready: true, parts: { spool: 'waiting' } });
    expect(await readinessOf(service)).toMatchObject({ ready: false, parts: { spool: 'failed' } });

    // First the spool's disk has room again: it goes on taking. Then the log's: what waited is forwarded.
    await spoolDisk.empty();
    await expect.poll(() => readinessOf(service), { timeout: 20_000 }).toMatchObject({ ready: true });
    const more = await service.request('/v1/batch', BATCH);
    expect([more.status, await more.json()]).toMatchObject([200, { receipt: null }]);
    await logDisk.empty();
    await expect.poll(() => readinessOf(service), { timeout: 20_000 }).toMatchObject({ parts: { spool: 'empty' } });

    await recordedIn(service, '/v1/batch', BATCH);
    // The one that found both disks full may be in the log, in part.
    const count = 100 * (logged + spooled + 2);
    expect([await atLeast(service, count), await atLeast(service, count + 101)]).toEqual([1, 0]);
  },
);

/** How many users did `Filled` at least `times` times. */
async function atLeast(service: ServiceProcess, times: number): Promise<number> {
  const definition = { event: 'Filled', count: { at_least: times } };
  const answer = await service.request('/v1/audiences/preview', { definition });
  return ((await answer.json()) as { count: number }).count;
}
