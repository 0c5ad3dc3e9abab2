import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceProcess } from '../support/service/service.ts';
import { embeddedUrls } from '../support/stores/new-stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The first `npx` of a checkout prepares it again. A build takes the files away that a starting service reads.
test('an installation builds no console where there is one that is newer than its sources', () => {
  const builtAt = (): number => {
    execFileSync(process.execPath, ['services/prepare.js'], { stdio: 'pipe' });
    return statSync('console/dist/assets').mtimeMs;
  };

  expect(builtAt()).toBe(builtAt());
});

/** The checkout with its packages as `npm ci --ignore-scripts` leaves them: nothing prepared, nothing built. */
async function unprepared(): Promise<string> {
  const copy = await temporaryFolder();
  for (const tree of ['services', 'schemas', 'package.json']) cpSync(tree, join(copy, tree), { recursive: true });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync('node_modules').filter((entry) => entry !== '.cache')) {
    symlinkSync(resolve('node_modules', name), join(copy, 'node_modules', name));
  }
  return copy;
}

test('a service starts where no install script ran, takes messages, and says how its console is built', async () => {
  const checkout = await unprepared();
  const dataDir = join(await temporaryFolder(), 'data');
  // Named by their addresses, its stores are its own to make: no prepared ones are placed for it.
  const service = await ServiceProcess.start(dataDir, { ...embeddedUrls(dataDir) }, '', `cd ${checkout} && `);
  onTestFinished(async () => void (await service.stop('SIGKILL')));

  const answer = await service.request('/v1/track', { user_id: 'ada', event: 'Signed Up' });
  const page = await service.request('/console/');

  expect(globSync('node_modules/.cache/tidemark-cluster-*', { cwd: checkout })).toEqual([]);
  expect([answer.status, page.status]).toEqual([200, 200]);
  expect(await page.text()).toContain('npm run console');
});
