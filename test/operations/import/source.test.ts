import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ImportRequest, sourcesOf } from '../../../services/operations/import/import-request.ts';
import { openSource } from '../../../services/operations/import/source.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Attempts that open the file. Without a look at what was opened, 1 in 100 opened the other file. */
const OPENED = 500;

/** Makes the folder `d` a link to another one and a folder again, as fast as it can. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
process.stdout.write('begun');
for (;;) {
  renameSync('d', 'away');
  symlinkSync(process.argv[1], 'd');
  unlinkSync('d');
  renameSync('away', 'd');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() / 5);
}`;

describe('the file of an import that comes over the network', () => {
  test('a file elsewhere is never opened, though a folder becomes a link to it at any moment', async () => {
    const [within, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(join(within, 'd'));
    await writeFile(join(within, 'd/f'), 'within');
    await writeFile(join(elsewhere, 'f'), 'elsewhere');
    const swapper = spawn(process.execPath, ['-e', SWAPPER, elsewhere], { cwd: within });
    onTestFinished(async () => {
      swapper.kill('SIGKILL');
      await once(swapper, 'exit');
    });
    await once(swapper.stdout, 'data');

    const seen = new Map<string, number>();
    while ((seen.get('within') ?? 0) < OPENED) {
      const content = await contentOf(join(within, 'd/f'), within);
      seen.set(content, (seen.get(content) ?? 0) + 1);
    }

    expect([...seen.keys()]).not.toContain('elsewhere');
  }, 60_000);

  test.runIf(process.platform === 'linux')('a file of /proc is refused, wherever it lies', async () => {
    await expect(openSource({ path: '/proc/self/environ', within: '/proc' })).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
      message: expect.stringContaining('no regular file') as string,
    });
  });

  test('a path is refused where there is no folder for such files, and where it is not known who gave it', () => {
    const request = { file: null, path: '/srv/history.csv', name: 'history.csv' } as ImportRequest;
    const folders = { folder: '/data/imports', importDir: undefined };

    for (const anywhere of [false, undefined])
      expect(() => sourcesOf(folders, { ...request, anywhere } as ImportRequest)).toThrow(/IMPORT_DIR/);
    expect(sourcesOf(folders, { ...request, anywhere: true })).toEqual([{ path: '/srv/history.csv' }]);
    expect(sourcesOf({ ...folders, importDir: '/srv' }, request)).toEqual([
      { path: '/srv/history.csv', within: '/srv' },
    ]);
  });
});

async function contentOf(path: string, within: string): Promise<string> {
  try {
    await using file = await openSource({ path, within });
    return await file.readFile('utf8');
  } catch {
    return 'refused';
  }
}
