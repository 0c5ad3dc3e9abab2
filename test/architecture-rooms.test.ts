import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import json from './architecture-rooms.json' with { type: 'json' };
import {
  allowed,
  claimsIn,
  interfacesOfOneClass,
  loose,
  lowered,
  measured,
  over,
  type RoomBudgets,
} from './architecture-rooms.ts';
import { treeOf, type Tree } from './architecture-rules.ts';

const budgetsOfRooms: RoomBudgets = json;
const trees = {
  services: treeAt('services/**/*.ts'),
  console: treeAt('console/src/**/*.{ts,tsx}'),
  test: treeAt('test/**/*.ts'),
};
const sql = { postgres: textOf('schemas/postgres/*.sql'), clickhouse: textOf('schemas/clickhouse/*.sql') };
const found = measured(trees, sql);
const interfaces = interfacesOfOneClass(trees.services);
const claims = claimsIn(sql.postgres);

// `LOWER_BUDGETS=1 npx vitest run test/architecture-rooms.test.ts` lowers what can be lower. None is ever raised.
if (process.env['LOWER_BUDGETS'] === '1') {
  const text = JSON.stringify(lowered(budgetsOfRooms, { found, interfaces, claims }), undefined, 2);
  writeFileSync('test/architecture-rooms.json', `${text}\n`);
}

const budget = allowed(budgetsOfRooms);

test('no room, and no count of mechanisms, is over its budget', () => {
  expect(over(found, budget)).toEqual([]);
});

test('a budget that could be lower is lowered', () => {
  expect(loose(found, budget)).toEqual([]);
});

test('the interfaces that one class implements are those listed', () => {
  expect(interfaces).toEqual(budgetsOfRooms.interfacesOfOneClass);
});

test('the columns by which a process claims something are those listed', () => {
  expect(claims).toEqual(budgetsOfRooms.claims);
});

test('what was raised names a figure, and says why', () => {
  for (const { figure, by, reason } of budgetsOfRooms.raised) {
    expect(Object.keys(found)).toContain(figure);
    expect(by).toBeGreaterThan(0);
    expect(reason.split(' ').length).toBeGreaterThan(4);
  }
});

function treeAt(pattern: string): Tree {
  // As in the test of the other budgets, the rules themselves do not count.
  const files = globSync(pattern).filter((file) => !file.startsWith('test/architecture'));
  return treeOf(new Map(files.sort().map((file) => [file, readFileSync(file, 'utf8')])));
}

function textOf(pattern: string): string {
  return globSync(pattern)
    .sort()
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}
