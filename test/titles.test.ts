import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import budgets from './title-budgets.json' with { type: 'json' };
import { fragmentsIn, titlesOf } from './titles.ts';

const found: Record<string, number> = {};
for (const file of globSync('test/*/**/*.ts')) {
  const folder = file.split('/')[1] ?? '';
  const count = fragmentsIn(titlesOf(readFileSync(file, 'utf8'))).length;
  if (count > 0) found[folder] = (found[folder] ?? 0) + count;
}
const current: Readonly<Record<string, number>> = budgets;

// As of the architecture's budgets: `LOWER_BUDGETS=1 npx vitest run test/titles.test.ts` lowers what can be lower.
if (process.env['LOWER_BUDGETS'] === '1') {
  const lower = Object.entries(current)
    .map(([folder, most]) => [folder, Math.min(most, found[folder] ?? 0)] as const)
    .filter(([, most]) => most > 0);
  writeFileSync('test/title-budgets.json', `${JSON.stringify(Object.fromEntries(lower), undefined, 2)}\n`);
}

test('no folder has more titles that need their describe to be a sentence than its budget', () => {
  expect(Object.entries(found).filter(([folder, count]) => count > (current[folder] ?? 0))).toEqual([]);
});

test('a title without a subject is a fragment, and a sentence is not', () => {
  const text = `
    test('a log that is full refuses appends', () => {});
    test('is refused', () => {});
    test.each([1, 2])('with %i records', () => {});
    test.skipIf(!canRun)('of nothing resolves to nothing', () => {});
    test('while the stores are unreachable, requests are refused', () => {});
  `;

  expect(titlesOf(text)).toHaveLength(5);
  expect(fragmentsIn(titlesOf(text))).toEqual(['is refused', 'with %i records', 'of nothing resolves to nothing']);
});
