/** The command of the checkout. `npx tidemark` asks the public registry for the name where it is run elsewhere. */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { programVersion } from '../../services/runtime/version.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);

test('the command runs in any folder, also by a link, and is not found elsewhere', async () => {
  const elsewhere = await temporaryFolder();
  const link = join(elsewhere, 'td');
  symlinkSync(resolve('tidemark'), link);

  const printed = [
    await run(resolve('tidemark'), ['--version'], { cwd: elsewhere }),
    await run(link, ['--version'], { cwd: elsewhere }),
  ];

  expect(printed.map(({ stdout }) => stdout.trim())).toEqual([programVersion(), programVersion()]);
  await expect(run('./tidemark', ['--version'], { cwd: elsewhere })).rejects.toMatchObject({ code: 'ENOENT' });
});

test('nothing says npx tidemark but what was released', () => {
  const files = execFileSync('git', ['ls-files', '*.md', '*.ts', '*.tsx', '*.js', '*.yml', '*.sh', 'deploy'])
    .toString()
    .trim()
    .split('\n');

  const saying = files
    .filter((file) => !file.endsWith('tidemark-script.test.ts'))
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      const released = file === 'CHANGELOG.md' ? text.search(/^## \d/m) : text.length;
      return /npx (?:--\S+ )*tidemark/.test(text.slice(0, released));
    });

  expect(files.length).toBeGreaterThan(500);
  expect(saying).toEqual([]);
});
