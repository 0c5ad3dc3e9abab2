import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const MOST_CHARS = 120;

test('no line of a page is longer than 120 characters, outside of tables', () => {
  const pages = ['README.md', 'SECURITY.md', ...globSync(['docs/**/*.md', 'deploy/**/*.md'])];
  const long = pages.flatMap((page) =>
    readFileSync(page, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        line.length > MOST_CHARS && !line.trimStart().startsWith('|') ? [`${page}:${index + 1}`] : [],
      ),
  );

  expect(pages.length).toBeGreaterThan(20);
  expect(long).toEqual([]);
});
