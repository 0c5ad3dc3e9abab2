import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const pages = ['README.md', 'SECURITY.md', ...globSync(['docs/**/*.md', 'deploy/**/*.md'])].sort();
const files = globSync(['services/**/*', 'test/**/*', 'schemas/**/*', 'deploy/*', '*.{json,ts,yml}']);

/** What runs write there. */
const WRITTEN = ['test/bench/results', 'test/torture/results'];

/** The paths in backticks of a page: those from the root whole, files of code by their last parts too. */
function pathsIn(page: string): string[] {
  const spans = [...readFileSync(page, 'utf8').matchAll(/`([\w./*-]+)`/g)].map(([, span = '']) => span);
  return spans.filter((span) => /^(services|test|schemas)\//.test(span) || /\w\.(ts|sql|avsc)$/.test(span));
}

function isThere(path: string): boolean {
  const bare = path.replace(/\/$/, '');
  if (bare.includes('*')) return globSync(bare).length > 0;
  return existsSync(bare) || WRITTEN.includes(bare) || files.some((file) => file.endsWith(`/${bare}`));
}

test('the documentation names only files that are there', () => {
  const named = pages.flatMap((page) => pathsIn(page).map((path) => ({ page, path })));
  // Placeholders have capitals: services/event-log/NAME/, NNN-name.sql.
  const missing = named.filter(({ path }) => !/\b(NAME|NNN)\b/.test(path) && !isThere(path));

  expect(named.length).toBeGreaterThan(80);
  expect(missing.map(({ page, path }) => `${page}: ${path}`)).toEqual([]);
});

test('each row of "Where is …" names a file that has what it names', () => {
  const [, table = ''] = readFileSync('docs/architecture.md', 'utf8').split('\n## Where is …\n');
  const rows = [...table.matchAll(/^\| .+? +\| `([\w./-]+)` +\| `(\w+)` +\|$/gm)];

  const wrong = rows.filter(([, file = '', name]) => !new RegExp(`\\b${name}\\b`).test(readFileSync(file, 'utf8')));
  expect(rows.length).toBeGreaterThan(30);
  expect(table.match(/^\|/gm)).toHaveLength(rows.length + 2);
  expect(wrong.map(([row]) => row)).toEqual([]);
});
