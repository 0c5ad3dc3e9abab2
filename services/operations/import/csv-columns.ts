/** The header of a CSV file → what each column means. Pure. */
import { MAX_DEPTH } from '../../messages/unacceptable.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { ImportOptions } from './import-options.ts';
import { type Mapping, MEMBERS, OBJECTS, type Target, targetOfColumn } from './mapping/mapping.ts';

/** What can be said of CSV alone. */
export type CsvOptions = Pick<ImportOptions, 'delimiter' | 'types' | 'text_columns' | 'json_columns' | 'columns'>;

export interface Column {
  /** As the header has it. */
  readonly name: string;
  /** Where its cells go; undefined where they are left out. */
  readonly target: Target | undefined;
  readonly reads: 'text' | 'typed' | 'json';
}

/**
 * @param sources The columns that somebody named, which have to be there.
 * @throws TidemarkError `COMMAND_INVALID`, naming every column that is without a name, there twice, or in another's way.
 */
export function readHeader(
  names: readonly string[],
  csv: CsvOptions,
  mapping: Mapping,
  sources: readonly string[] = [],
): readonly Column[] {
  if (names.length > MOST_COLUMNS) {
    const count = `${names.length} columns, and at most ${MOST_COLUMNS} are read`;
    throw new TidemarkError('COMMAND_INVALID', `The header of the CSV cannot be used: it has ${count}.`);
  }
  const trimmed = names.map((name) => name.trim());
  const known = new Set(trimmed);
  const isThere = (source: string): boolean =>
    beginningsOf(source.split('.')).some((path) => known.has(path.join('.')));
  const problems = [
    ...trimmed.flatMap((name, index) => (name === '' ? [`column ${index + 1} has no name`] : [])),
    ...[...csv.json_columns, ...csv.text_columns, ...sources]
      .filter((name) => !isThere(name))
      .map((name) => `there is no column ${JSON.stringify(name)}`),
    ...collisions(trimmed, mapping),
  ];
  if (problems.length === 0) return trimmed.map((name) => columnOf(name, csv, mapping));
  throw new TidemarkError(
    'COMMAND_INVALID',
    `The header of the CSV cannot be used: ${[...new Set(problems)].join('; ')}.`,
  );
}

/** As many as a message may have traits. */
const MOST_COLUMNS = 10_000;

/** Columns that would fill the same place. Those that one rule names take turns. */
function collisions(names: readonly string[], mapping: Mapping): readonly string[] {
  const problems: string[] = [];
  const targets = new Map<string, string>();
  /** By each of the objects that they are in. */
  const inside = new Map<string, string>();
  for (const name of names) {
    for (const [own = '', ...around] of filledBy(name, mapping)) {
      const outer = [own, ...around].find((path) => targets.has(path)) ?? '';
      const other = targets.get(outer) ?? inside.get(own);
      if (other !== undefined && (other === name || !areAlternatives(other, name, mapping)))
        problems.push(`columns ${JSON.stringify(other)} and ${JSON.stringify(name)} are in each other's way`);
      targets.set(own, name);
      for (const path of around) inside.set(path, name);
    }
  }
  return problems;
}

/** The members that a column fills, each with the objects around it. A bare column is a trait here and a property there. */
function filledBy(name: string, mapping: Mapping): readonly (readonly string[])[] {
  const target = targetOfColumn(name, mapping);
  if (target === undefined) return [];
  const { path, isFree } = target;
  const paths = isFree
    ? [
        ['traits', ...path],
        ['properties', ...path],
      ]
    : [path];
  return paths.map((each) => beginningsOf(each).map((beginning) => JSON.stringify(beginning)));
}

/** The path and those of the objects around it, the longest first. No member of a message lies deeper than `MAX_DEPTH`. */
function beginningsOf(path: readonly string[]): readonly (readonly string[])[] {
  const last = Math.min(path.length, MAX_DEPTH + 2);
  const beginnings = Array.from({ length: last }, (_, index) => path.slice(0, last - index));
  return last === path.length ? beginnings : [path, ...beginnings];
}

function areAlternatives(one: string, other: string, { rules }: Mapping): boolean {
  return rules.some(({ from }) => from.includes(one) && from.includes(other));
}

/** Why every row of these columns would be refused, whatever it says; undefined where one may be good. */
export function missingColumns(
  columns: readonly Column[],
  type: 'identify' | 'track' | undefined,
  { rules, constants }: Mapping,
): string | undefined {
  const has = (...names: readonly string[]): boolean =>
    columns.some(({ target }) => target?.isFree === false && names.includes(target.path[0] ?? '')) ||
    names.some((name) => Object.hasOwn(constants, name) || rules.some(({ to }) => to === name));
  const saysTrack = (constants['type'] ?? type) === 'track';
  const missing = [
    ...(has('user_id', 'userId', 'anonymousId') ? [] : ['there is no user_id (nor userId, nor anonymousId)']),
    ...(has('type') || type !== undefined ? [] : ['there is no type, and no type is given for all rows']),
    ...(has('event') || !saysTrack || (has('type') && constants['type'] === undefined) ? [] : ['there is no event']),
  ];
  if (missing.length === 0) return undefined;
  const names = columns.map(({ name }) => JSON.stringify(name.slice(0, NAME_LENGTH)));
  if (names.length > MOST_NAMES) names.splice(MOST_NAMES, names.length, '…');
  return `Every row would be refused by the columns of the header, ${names.join(', ')}: ${missing.join('; ')}.`;
}

const MOST_NAMES = 10;
const NAME_LENGTH = 60;

function columnOf(name: string, csv: CsvOptions, mapping: Mapping): Column {
  const target = targetOfColumn(name, mapping);
  const isTyped = csv.types && !csv.text_columns.includes(name);
  return { name, target, reads: csv.json_columns.includes(name) ? 'json' : readsOf(target, isTyped) };
}

function readsOf(target: Target | undefined, typed: boolean): Column['reads'] {
  const [first = ''] = target?.path ?? [];
  if (target?.isFree === false && target.path.length === 1) {
    if (MEMBERS.includes(first)) return 'text';
    if (OBJECTS.includes(first)) return 'json';
  }
  return typed ? 'typed' : 'text';
}
