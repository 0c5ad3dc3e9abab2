/** A backup onto a disk that is full, or fills up in the midst of it. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkBackup } from '../../../services/operations/backup/check-backup.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SmallDisk } from '../../torture/disks/small-disk.ts';
import { BackupScene, SILENT } from './backup-scene.ts';

const MEBIBYTES = 300;

type Fill = () => Promise<void>;

/** What is called before the disk fills up. */
const POINTS: Readonly<Record<string, (scene: BackupScene, fill: Fill) => Promise<void> | void>> = {
  'before it begins': (_, fill) => fill(),
  'before the history of audiences': ({ history }, fill) => {
    const rows = history.rows.bind(history);
    history.rows = async (table) => {
      history.rows = rows;
      await fill();
      return rows(table);
    };
  },
  'before the ranges of the log': ({ log }, fill) => {
    const ends = log.ends.bind(log);
    let calls = 0;
    // The third look is that for what is copied.
    log.ends = async (topics) => {
      calls += 1;
      if (calls === 3) await fill();
      return ends(topics);
    };
  },
};

test.skipIf(!SmallDisk.canMount).for(Object.keys(POINTS))(
  'where the disk is full %s, a backup fails with the reason, leaves the one before whole, and the next run completes it',
  { timeout: 120_000 },
  async (point) => {
    const root = await temporaryFolder();
    const disk = await SmallDisk.mount(join(root, 'disk'), MEBIBYTES);
    onTestFinished(() => disk.unmount());
    const folder = join(disk.folder, 'backup');
    const scene = await BackupScene.open(root);
    await scene.append(200);
    await scene.backUp(folder);
    await scene.append(5_000);

    await POINTS[point]?.(scene, () => disk.fill(0));
    const failure: unknown = await scene.backUp(folder).catch((error: unknown) => error);
    const left = await checkBackup(folder, SILENT);
    await disk.empty();
    const next = await scene.backUp(folder);

    expect(failure).toMatchObject({ code: 'BACKUP_UNAVAILABLE', message: expect.stringContaining(folder) as string });
    expect(left).toMatchObject({ records: 200 });
    expect(next).toMatchObject({ records_total: 5_200 });
    expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 5_200 });
  },
);
