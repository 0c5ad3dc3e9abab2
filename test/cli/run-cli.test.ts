import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importsOf } from '../support/imports.ts';

/** All that is loaded before a command runs. */
function loadedFirst(file: string, seen = new Set<string>()): Set<string> {
  seen.add(file);
  for (const { to, kind } of importsOf(file, readFileSync(file, 'utf8'))) {
    if (kind !== 'static' || seen.has(to)) continue;
    if (to.endsWith('.ts')) loadedFirst(to, seen);
    else seen.add(to);
  }
  return seen;
}

const FOLDERS_OF_SERVICES =
  /^services\/(stores|event-log|consumers|api|operations|questions|http|ingest|app\/(?!embedded))/;

test('the command line loads no store, and no driver, before it knows which command it runs', () => {
  const loaded = [...loadedFirst('services/cli/program.ts')];

  expect(loaded.filter((file) => FOLDERS_OF_SERVICES.test(file))).toEqual([]);
  expect(loaded.filter((name) => !name.endsWith('.ts') && !name.startsWith('node:')).sort()).toEqual([
    'cli-progress',
    'commander',
    'pino',
  ]);
});
