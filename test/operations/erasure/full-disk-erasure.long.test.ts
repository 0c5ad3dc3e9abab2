/** People are forgotten on a disk that fills up in the midst of it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Progress } from '../../../services/runtime/command.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { searchFiles } from '../../support/search-files.ts';
import { openEmbedded, type WholeInstallation } from '../../support/service/whole-installation.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SmallDisk } from '../../torture/disks/small-disk.ts';
import { ForgettingScene } from './forgetting-scene.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };
const PERSON = 'ada-of-the-full-disk';
/** chDB merges and rewrites nothing where less than half of it is free. */
const MEBIBYTES = 900;

/** What is called when the disk fills up. */
const POINTS: Readonly<Record<string, (installation: WholeInstallation, fill: () => Promise<void>) => void>> = {
  'records are made blank': ({ log }, fill) => beforeFirst(log as unknown as Methods, 'erase', fill),
  'tables are rewritten': ({ database }, fill) => beforeFirst(database as unknown as Methods, 'rewriteFiles', fill),
  'old parts are removed': ({ analytics }, fill) => beforeFirst(analytics as unknown as Methods, 'dropOldFiles', fill),
};

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

function beforeFirst(owner: Methods, name: string, act: () => Promise<void>): void {
  const real = owner[name]?.bind(owner);
  if (real === undefined) throw new Error(`there is no ${name}`);
  owner[name] = async (...args) => {
    owner[name] = real;
    await act();
    return real(...args);
  };
}

async function onSmallDisk() {
  const disk = await SmallDisk.mount(join(await temporaryFolder(), 'disk'), MEBIBYTES);
  onTestFinished(() => disk.unmount());
  const folder = join(disk.folder, 'data');
  await mkdir(folder);
  const installation = await openEmbedded(folder);
  onTestFinished(() => installation.close());
  const scene = new ForgettingScene(() => installation, folder);
  return { disk, folder, installation, scene };
}

test.skipIf(!SmallDisk.canMount).for(Object.keys(POINTS))(
  'where the disk is full when %s, the job fails with the reason, and the next one leaves nothing of the person',
  { timeout: 240_000 },
  async (point) => {
    const { disk, folder, installation, scene } = await onSmallDisk();
    const shop = await scene.projectWithPeople('On a full disk', PERSON);
    const ben = await scene.rowsOf(shop.projectId, 'ben');
    const wanted = { id: PERSON, mark: scene.mark, email: scene.email };
    await scene.request(shop.projectId, [PERSON]);
    POINTS[point]?.(installation, () => disk.fill(1_024));

    await expect(scene.forget()).rejects.toMatchObject({
      message: expect.stringMatching(/full|space|room/iu) as string,
    });
    expect(await new SqlErasures(installation.database).pending()).not.toEqual([]);
    await disk.empty();
    await scene.forget();

    expect(await searchFiles(folder, wanted)).toEqual([]);
    expect(await scene.rowsOf(shop.projectId, 'ben')).toEqual(ben);
    expect(await new SqlErasures(installation.database).pending()).toEqual([]);
  },
);

test.skipIf(!SmallDisk.canMount)(
  'where so little is free that nothing is deleted, the job says what is missing and where, and goes on once it is there',
  { timeout: 240_000 },
  async () => {
    const { disk, folder, scene } = await onSmallDisk();
    await disk.fill(200 * 1_024);
    const shop = await scene.projectWithPeople('On a disk with little room', PERSON);
    const wanted = { id: PERSON, mark: scene.mark, email: scene.email };
    await scene.request(shop.projectId, [PERSON]);
    const reasons: unknown[] = [];
    const report = (progress: Progress): void => void reasons.push(progress['waits_because']);

    const forgetting = scene.forget({ report, signal: AbortSignal.timeout(200_000) });
    await expect.poll(() => reasons.at(-1), PATIENCE).toMatch(/disk of .* has 1\d\d MiB .* 512 MiB are needed/u);
    await disk.empty();
    await forgetting;

    expect(reasons.find((reason) => String(reason).includes(folder))).toBeDefined();
    expect(reasons.at(-1)).toBeUndefined();
    expect(await searchFiles(folder, wanted)).toEqual([]);
  },
);
