/** The embedded service under load on a disk of its own that somebody else fills. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { embeddedUrls } from '../support/stores/new-stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SmallDisk } from '../torture/disks/small-disk.ts';
import { ServiceLoad } from './service-load.ts';

const MEBIBYTES = 300;
const FILL_EVERY_MS = 100;
/** A request that takes longer is not answered. */
const PATIENCE_MS = 10_000;
const RECOVERED_WITHIN_MS = 30_000;
/** Invalid requests are answered 400 all the while. */
const STATUSES = ['200', '400', '503'];

describe.skipIf(!SmallDisk.canMount)('the embedded service on a disk that somebody else fills', () => {
  test(
    'the service answers 200 or 503, loses and doubles nothing, goes on once there is room, and stops',
    { timeout: 240_000 },
    async () => {
      const { disk, dataDir, service, posts } = await underLoad();

      await whileFull(disk, () => sleep(15_000));
      const roomAt = performance.now();
      await expect.poll(() => posts.load.answeredAt > roomAt, { timeout: RECOVERED_WITHIN_MS }).toBe(true);
      await posts.passedSince(roomAt);
      await posts.stop();

      expect([...posts.load.answers.keys()].toSorted()).toEqual(STATUSES);
      expect(await service.stop()).toBe(0);
      expect(await posts.wrongIn(embeddedUrls(dataDir))).toEqual({});
    },
  );

  test(
    'the service stops while the disk is full, and all that it answered 200 is in the log and read after a start',
    { timeout: 240_000 },
    async () => {
      const { disk, dataDir, service, posts, startAgain } = await underLoad();

      await whileFull(disk, async () => {
        await sleep(8_000);
        expect([...posts.load.answers.keys()].toSorted()).toEqual(STATUSES);
        const stopping = service.stop();
        await posts.load.stop(0);
        expect(await stopping).toBe(0);
      });
      const again = await startAgain();
      await posts.caughtUp();

      expect(await again.stop()).toBe(0);
      expect(await posts.wrongIn(embeddedUrls(dataDir))).toEqual({});
    },
  );
});

/** A service on a small disk, whose readers have passed what it was sent first. */
async function underLoad() {
  const disk = await SmallDisk.mount(join(await temporaryFolder(), 'disk'), MEBIBYTES);
  onTestFinished(() => disk.unmount());
  const dataDir = join(disk.folder, 'data');
  let running: ServiceProcess;
  const startAgain = async (): Promise<ServiceProcess> => {
    running = await startedService(dataDir);
    return running;
  };
  const service = await startAgain();
  const posts = await ServiceLoad.start({
    environment: { DATA_DIR: dataDir },
    doors: () => [running],
    patienceMs: [PATIENCE_MS],
  });
  await posts.passedSince(0);
  return { disk, dataDir, service, posts, startAgain };
}

/** Nothing stays free meanwhile: what is given back is taken again. */
async function whileFull(disk: SmallDisk, act: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const fill = async (): Promise<void> => {
    for (; !over.signal.aborted; await sleep(FILL_EVERY_MS)) await disk.fill(0);
  };
  const filling = fill();
  try {
    await act();
  } finally {
    over.abort();
    await filling;
    await disk.empty();
  }
}
