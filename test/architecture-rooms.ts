import { dirname } from 'node:path';
import type { Tree } from './architecture-rules.ts';

/** The size of a room: lines of all its files, and how many they are. */
export interface RoomSize {
  readonly lines: number;
  readonly files: number;
}

/**
 * The budgets that no file and no folder shows (`architecture-rooms.json`). A figure only falls; to let one rise, add a line
 * to `raised` that says by how much and why.
 */
export interface RoomBudgets {
  /** `services/api`, `console`, `test/bench` and so on. */
  readonly rooms: Readonly<Record<string, RoomSize>>;
  /** Interfaces that one class implements. */
  readonly interfacesOfOneClass: readonly string[];
  /** Calls of `setInterval` in services, and what loops by `Looking`. */
  readonly timers: number;
  readonly tables: { readonly postgres: number; readonly clickhouse: number };
  /** Columns of Postgres by which one process at a time does something. */
  readonly claims: readonly string[];
  /** Names that are declared at top level in three files or more. */
  readonly namesOfThreeFiles: { readonly console: number; readonly test: number };
  readonly raised: readonly Raise[];
}

export interface Raise {
  /** As the figures are called in a message of the test: `services/webhooks: lines`. */
  readonly figure: string;
  readonly by: number;
  readonly reason: string;
}

/** Figures by name: `services/webhooks: lines` and the like. */
export type Figures = Readonly<Record<string, number>>;

/** A room may be this much smaller than its budget before the budget has to follow: commits beside each other then meet less. */
const LOOSE_LINES = 100;
const TOP_LEVEL = /^(?:export )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm;
const IMPLEMENTS = /\bclass \w+(?:<[^{]*?>)?(?: extends [\w.<>, ]+?)? implements ([^{]+)\{/g;
const CLAIM = /^(claim|owner|held_until_ms|lease\w*|holder|locked_\w+)$/;

export function measured(trees: Readonly<Record<'services' | 'console' | 'test', Tree>>, sql: Sql): Figures {
  const all = new Map([...trees.services.texts, ...trees.console.texts, ...trees.test.texts]);
  const services = [...trees.services.texts.values()].join('\n');
  return {
    ...figuresOf(roomsOf(all)),
    timers: services.match(/\bsetInterval\(|\bnew Looking\(/g)?.length ?? 0,
    'tables: postgres': tablesIn(sql.postgres).size,
    'tables: clickhouse': tablesIn(sql.clickhouse).size,
    'names of three files: console': namesOfThreeFiles(trees.console),
    'names of three files: test': namesOfThreeFiles(trees.test),
  };
}

/** What the budgets allow: what stands in the file, and what was raised. */
export function allowed({ rooms, timers, tables, namesOfThreeFiles: names, raised }: RoomBudgets): Figures {
  const figures: Record<string, number> = {
    ...figuresOf(rooms),
    timers,
    'tables: postgres': tables.postgres,
    'tables: clickhouse': tables.clickhouse,
    'names of three files: console': names.console,
    'names of three files: test': names.test,
  };
  for (const { figure, by } of raised) figures[figure] = (figures[figure] ?? 0) + by;
  return figures;
}

export function over(found: Figures, budget: Figures): string[] {
  return Object.entries(found)
    .filter(([figure, value]) => value > (budget[figure] ?? 0))
    .map(([figure, value]) => `${figure}: ${value}, the budget is ${budget[figure] ?? 0}`);
}

export function loose(found: Figures, budget: Figures): string[] {
  return Object.entries(budget)
    .filter(([figure, most]) => (found[figure] ?? 0) + (figure.endsWith(': lines') ? LOOSE_LINES : 0) < most)
    .map(([figure, most]) => `${figure}: ${found[figure] ?? 0}, the budget is ${most}`);
}

interface Found {
  readonly found: Figures;
  readonly interfaces: readonly string[];
  readonly claims: readonly string[];
}

/** The budgets lowered to what is found; what was raised is used up first. */
export function lowered(budgets: RoomBudgets, { found, interfaces, claims }: Found): RoomBudgets {
  const most = allowed({ ...budgets, raised: [] });
  const raised = budgets.raised.filter(({ figure }) => (found[figure] ?? 0) > (most[figure] ?? 0));
  const least = (figure: string): number => Math.min(found[figure] ?? 0, most[figure] ?? 0);
  const rooms = Object.keys(budgets.rooms).filter((room) => found[`${room}: files`] !== undefined);
  return {
    rooms: Object.fromEntries(
      rooms.map((room) => [room, { lines: least(`${room}: lines`), files: least(`${room}: files`) }]),
    ),
    interfacesOfOneClass: budgets.interfacesOfOneClass.filter((name) => interfaces.includes(name)),
    timers: least('timers'),
    tables: { postgres: least('tables: postgres'), clickhouse: least('tables: clickhouse') },
    claims: budgets.claims.filter((claim) => claims.includes(claim)),
    namesOfThreeFiles: {
      console: least('names of three files: console'),
      test: least('names of three files: test'),
    },
    raised,
  };
}

/** The migrations in order, as one text. */
export interface Sql {
  readonly postgres: string;
  readonly clickhouse: string;
}

/** The interfaces of services that one class implements, by name. */
export function interfacesOfOneClass({ texts }: Tree): string[] {
  const code = [...texts.values()].join('\n');
  const classes = new Map<string, number>();
  for (const [, list = ''] of code.matchAll(IMPLEMENTS)) {
    for (const name of list.replaceAll(/<[^{]*>/g, '').split(',')) {
      classes.set(name.trim(), (classes.get(name.trim()) ?? 0) + 1);
    }
  }
  const declared = [...code.matchAll(/\binterface (\w+)/g)].map(([, name = '']) => name);
  return [...new Set(declared)].filter((name) => classes.get(name) === 1).sort();
}

/** `jobs.owner` and the like. */
export function claimsIn(postgres: string): string[] {
  const columns = [...tablesIn(postgres)].flatMap(([table, names]) => names.map((column) => ({ table, column })));
  return columns
    .filter(({ column }) => CLAIM.test(column))
    .map(({ table, column }) => `${table}.${column}`)
    .sort();
}

/** The tables that the migrations leave, with the columns that were ever theirs. */
function tablesIn(sql: string): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  const statement = /^(create|alter|drop) table (?:if (?:not )?exists )?(\w+)([^;]*)/gim;
  for (const [, verb = '', name = '', rest = ''] of sql.replaceAll(/--.*$/gm, '').matchAll(statement)) {
    const columns = tables.get(name) ?? [];
    const [, newName] = /^\s*rename to (\w+)/.exec(rest) ?? [];
    if (verb.toLowerCase() === 'drop' || newName !== undefined) tables.delete(name);
    if (newName !== undefined) tables.set(newName, columns);
    else if (verb.toLowerCase() !== 'drop') tables.set(name, renamedBy(rest, [...columns, ...columnsIn(rest)]));
  }
  return tables;
}

function renamedBy(definition: string, columns: string[]): string[] {
  const [, from, to = ''] = /^\s*rename column (\w+) to (\w+)/m.exec(definition) ?? [];
  return columns.map((column) => (column === from ? to : column));
}

function columnsIn(definition: string): string[] {
  return [...definition.matchAll(/^\s*(?:add column )?([a-z]\w*) +\w/gm)].map(([, column = '']) => column);
}

function namesOfThreeFiles({ texts }: Tree): number {
  const files = new Map<string, number>();
  for (const text of texts.values()) {
    const names = new Set([...text.matchAll(TOP_LEVEL)].map(([, name = '']) => name));
    for (const name of names) files.set(name, (files.get(name) ?? 0) + 1);
  }
  return [...files.values()].filter((count) => count >= 3).length;
}

function roomsOf(texts: ReadonlyMap<string, string>): Record<string, RoomSize> {
  const rooms: Record<string, RoomSize> = {};
  for (const [file, text] of texts) {
    const { lines, files } = rooms[roomOf(file)] ?? { lines: 0, files: 0 };
    rooms[roomOf(file)] = { lines: lines + text.split('\n').length - 1, files: files + 1 };
  }
  return rooms;
}

/** The tests are one room wherever they are; what they use is a room for each folder. */
function roomOf(file: string): string {
  const [top = '', folder = ''] = dirname(file).split('/');
  if (top === 'console') return 'console';
  if (top === 'test' && file.endsWith('.test.ts')) return 'test: tests';
  return folder === '' ? top : `${top}/${folder}`;
}

function figuresOf(rooms: Readonly<Record<string, RoomSize>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(rooms).flatMap(([room, { lines, files }]) => [
      [`${room}: lines`, lines],
      [`${room}: files`, files],
    ]),
  );
}
