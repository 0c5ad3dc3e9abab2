/** A backup whose process dies at any of its operations on files: the folder is then as if nothing of it was done since. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkBackup } from '../../../services/operations/backup/check-backup.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { BackupScene, SILENT } from './backup-scene.ts';

const OPERATIONS = ['rename', 'rm', 'mkdir', 'open'] as const;
const real = { ...fs.promises };

/** From the given operation on, none is done. Returns whether it has come so far. */
function dieAt(operation: number): () => boolean {
  let done = 0;
  for (const name of OPERATIONS) {
    const one = real[name] as (...args: unknown[]) => Promise<unknown>;
    const counted = (...args: unknown[]): Promise<unknown> => {
      return ++done >= operation ? Promise.reject(new Error('killed')) : one(...args);
    };
    Object.assign(fs.promises, { [name]: counted });
  }
  syncBuiltinESMExports();
  return () => done >= operation;
}

function live(): void {
  Object.assign(fs.promises, real);
  syncBuiltinESMExports();
}

afterEach(live);

// Some forty runs. Each check is of what a whole run wrote and the next one left when it died.
test(
  'a backup that dies at any step leaves the one before or the new one whole, and the next run completes it',
  { timeout: 600_000 },
  async () => {
    const root = await temporaryFolder();
    const folder = join(root, 'backup');
    const scene = await BackupScene.open(root);
    await scene.append(20);
    await scene.backUp(folder);
    let records = 20;
    let steps = 0;

    for (let isKilled = true; isKilled; steps++) {
      await scene.append(4);
      const hasDied = dieAt(steps + 1);
      const failure = await scene.backUp(folder).then(
        () => undefined,
        (error: unknown) => error,
      );
      isKilled = hasDied();
      live();

      const left = await checkBackup(folder, SILENT);
      const next = await scene.backUp(folder);

      expect(failure === undefined).toBe(!isKilled);
      expect([records, records + 4]).toContain(left.records);
      records += 4;
      expect(next).toMatchObject({ records_total: records });
    }
    expect(await checkBackup(folder, SILENT)).toMatchObject({ records });
    expect(steps).toBeGreaterThan(10);
  },
);
