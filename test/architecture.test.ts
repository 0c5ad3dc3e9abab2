import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import consoleBudgets from './architecture-budgets.console.json' with { type: 'json' };
import budgets from './architecture-budgets.json' with { type: 'json' };
import testBudgets from './architecture-budgets.test.json' with { type: 'json' };
import * as rules from './architecture-rules.ts';
import { looseBudgets, lowered, overBudget, type Budgets } from './architecture-sizes.ts';
import { MAY_IMPORT } from './architecture-tables.ts';

const tree = treeAt('services/**/*.ts');
const consoleTree = treeAt('console/src/**/*.{ts,tsx}');

describe('the imports', () => {
  test('every import that names a file of ours finds it', () => {
    expect(tree.texts.size).toBeGreaterThan(30);
    expect(tree.imports.some(({ from, to }) => from === 'services/main.ts' && to.startsWith('services/'))).toBe(true);
    expect(tree.imports.some(({ kind }) => kind === 'url')).toBe(true);
    expect(rules.importsAreFound(tree)).toEqual([]);
  });

  test('a folder imports only what its line of the table names, and the table names every folder', () => {
    expect(rules.foldersImportWhatTheyMay(tree)).toEqual([]);
    expect(rules.tableHasEveryFolder(tree)).toEqual([]);
  });

  test('the table has no circle, and runtime imports no folder of ours', () => {
    expect(rules.circlesOf(MAY_IMPORT)).toEqual([]);
    expect(MAY_IMPORT['runtime']).toEqual([]);
  });

  test('no files import each other in a circle, types and the programs of threads included', () => {
    expect(rules.filesHaveNoCircle(tree)).toEqual([]);
  });

  test('a role imports no other role, and the list of roles is complete', () => {
    expect(rules.rolesAreApart(tree)).toEqual([]);
    expect(rules.rolesAreComplete(tree)).toEqual([]);
  });

  test('only an open.ts names an adapter, and only when it is called', () => {
    expect(rules.onlyOpenNamesAnAdapter(tree)).toEqual([]);
  });

  test('a driver is imported in its adapter alone', () => {
    expect(rules.driversStayInTheirAdapters(tree)).toEqual([]);
  });

  test('messages does no I/O, and no more than errors and types of runtime come into it', () => {
    expect(rules.messagesDoNoIo(tree)).toEqual([]);
  });

  test('only main, app and the command line read the configuration', () => {
    expect(rules.fewReadTheConfiguration(tree)).toEqual([]);
  });

  test('a file whose only value is a class is named after it', () => {
    expect(rules.filesAreNamedAfterTheirClass(tree)).toEqual([]);
  });

  test('the console imports in one direction: no folder and no file of it is in a circle', () => {
    expect(rules.consoleImportsWhatItMay(consoleTree)).toEqual([]);
    expect(rules.filesHaveNoCircle(consoleTree)).toEqual([]);
  });

  test('no file is a barrel', () => {
    expect(rules.noFileIsABarrel(tree)).toEqual([]);
  });
});

/** Sizes, names in several files, small files, and words that the glossary replaced. */
describe.each([
  ['services', tree, budgets],
  ['console', consoleTree, consoleBudgets],
  ['test', treeAt('test/**/*.ts'), testBudgets],
] satisfies [string, rules.Tree, Budgets][])('the budgets of %s', (room, roomTree, current: Budgets) => {
  // `LOWER_BUDGETS=1 npx vitest run test/architecture.test.ts` lowers what can be lower. None is ever raised.
  if (process.env['LOWER_BUDGETS'] === '1') {
    const file = room === 'services' ? 'architecture-budgets.json' : `architecture-budgets.${room}.json`;
    writeFileSync(`test/${file}`, `${JSON.stringify(lowered(roomTree, current), undefined, 2)}\n`);
  }

  test('nothing is over its budget', () => {
    expect(overBudget(roomTree, current)).toEqual([]);
  });

  test('a budget that could be lower is lowered', () => {
    expect(looseBudgets(roomTree, current)).toEqual([]);
    expect(current.linesOfFile).toBeLessThanOrEqual(300);
    expect(budgets.filesInFolder).toBeLessThanOrEqual(25);
  });
});

function treeAt(pattern: string): rules.Tree {
  // The rules themselves name the words.
  const files = globSync(pattern).filter((file) => !file.startsWith('test/architecture'));
  return rules.treeOf(new Map(files.sort().map((file) => [file, readFileSync(file, 'utf8')])));
}
