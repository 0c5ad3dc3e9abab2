/** The sheet of a screen stays once it is loaded: what it says of a class of its own must not reach the frame. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The class that each selector begins with. */
function firstClasses(sheet: string): string[] {
  const rules = readFileSync(sheet, 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .matchAll(/([^{}]+)\{/g);
  return [...rules].flatMap(([, selectors = '']) =>
    selectors.split(',').flatMap((selector) => /^\s*\.([\w-]+)/.exec(selector)?.[1] ?? []),
  );
}

test('no part asks for the focus by the attribute, which works once in a document', () => {
  const found = globSync('console/src/**/*.{tsx,css}').filter((file) =>
    /auto-?focus/i.test(readFileSync(file, 'utf8')),
  );

  expect(found).toEqual([]);
});

test('no sheet of a screen has a class of the frame', () => {
  const frame = globSync('console/src/frame/*.tsx').map((file) => readFileSync(file, 'utf8'));
  const used = new Set(
    frame.flatMap((text) => [...text.matchAll(/class="([^"]+)"/g)].flatMap(([, one = '']) => one.split(' '))),
  );
  const sheets = globSync('console/src/screens/**/*.css');

  const shared = sheets.flatMap((sheet) => firstClasses(sheet).filter((name) => used.has(name)));

  expect(used.size).toBeGreaterThan(20);
  expect(sheets.length).toBeGreaterThan(5);
  expect(shared).toEqual([]);
});
