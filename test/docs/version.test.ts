import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

function textOf(page: string): string {
  return readFileSync(page, 'utf8');
}

test('the version of the package is the newest release of the change log', () => {
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(textOf('CHANGELOG.md')) ?? [];
  expect(version).toBe(newest);
});

test('the lock file and the guide to deployment have the version of the package', () => {
  const lock = JSON.parse(textOf('package-lock.json')) as { version: string; packages: { '': { version: string } } };
  const tags = [...textOf('deploy/README.md').matchAll(/\btidemark:(\d+\.\d+\.\d+)/g)].map(([, tag]) => tag);

  expect([lock.version, lock.packages[''].version, ...tags]).toEqual([version, version, version]);
});
