import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

function textOf(page: string): string {
  return readFileSync(page, 'utf8');
}

const RELEASED = /^## (\d+)\.(\d+)\.(\d+)/m.exec(textOf('CHANGELOG.md')) ?? [];
const release = RELEASED.slice(1).join('.');

test('the version of the package is the newest release, or says that it comes after it', () => {
  const [, major, minor] = RELEASED;
  const hasChanged = /^## Unreleased\n+#/m.test(textOf('CHANGELOG.md'));
  expect(version).toBe(hasChanged ? `${major}.${Number(minor) + 1}.0-dev` : release);
});

test('the lock file, the interface and the guide to deployment have the version of the package', () => {
  const lock = JSON.parse(textOf('package-lock.json')) as { version: string; packages: { '': { version: string } } };
  const { info } = JSON.parse(textOf('schemas/openapi/openapi.json')) as { info: { version: string } };
  const tags = [...textOf('deploy/images.md').matchAll(/\btidemark:(\d+\.\d+\.\d+[-\w.]*)/g)].map(([, tag]) => tag);

  expect(tags.length).toBeGreaterThan(1);
  expect(new Set([lock.version, lock.packages[''].version, info.version, ...tags])).toEqual(new Set([version]));
});
