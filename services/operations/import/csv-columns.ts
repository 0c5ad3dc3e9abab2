/** The header of a CSV file → what each column means. Pure. */
import { TidemarkError } from '../../runtime/errors.ts';
import { type Mapping, MEMBERS, OBJECTS, type Target, targetOfColumn } from './mapping/mapping.ts';

export interface CsvOptions {
  /** One ASCII character, neither a quote nor the end of a line. */
  readonly delimiter: string;
  /** Whether numbers, true and false in the columns of traits and properties are such, and not text. */
  readonly typed: boolean;
  /** Columns whose cells are JSON. */
  readonly jsonColumns: readonly string[];
  /** The names of the columns of a file whose first line is a row already. */
  readonly columns?: readonly string[] | undefined;
}

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
  const trimmed = names.map((name) => name.trim());
  const isThere = (source: string): boolean => trimmed.some((name) => source === name || source.startsWith(`${name}.`));
  const problems = [
    ...trimmed.flatMap((name, index) => (name === '' ? [`column ${index + 1} has no name`] : [])),
    ...[...csv.jsonColumns, ...sources]
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

/** Columns that would fill the same place. Those that one rule names take turns. */
function collisions(names: readonly string[], mapping: Mapping): readonly string[] {
  const problems: string[] = [];
  const targets = new Map<string, string>();
  for (const name of names) {
    const target = targetOfColumn(name, mapping);
    // A bare column is a trait here and a property there: both are taken then.
    for (const object of target === undefined ? [] : target.isFree ? ['traits', 'properties'] : ['']) {
      const path = JSON.stringify(object === '' ? target?.path : [object, ...(target?.path ?? [])]);
      const other = targets.get(path) ?? withinAnother(path, targets);
      if (other !== undefined && (other === name || !areAlternatives(other, name, mapping)))
        problems.push(`columns ${JSON.stringify(other)} and ${JSON.stringify(name)} are in each other's way`);
      targets.set(path, name);
    }
  }
  return problems;
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

function columnOf(name: string, { typed, jsonColumns }: CsvOptions, mapping: Mapping): Column {
  const target = targetOfColumn(name, mapping);
  return { name, target, reads: jsonColumns.includes(name) ? 'json' : readsOf(target, typed) };
}

function readsOf(target: Target | undefined, typed: boolean): Column['reads'] {
  const [first = ''] = target?.path ?? [];
  if (target?.isFree === false && target.path.length === 1) {
    if (MEMBERS.includes(first)) return 'text';
    if (OBJECTS.includes(first)) return 'json';
  }
  return typed ? 'typed' : 'text';
}

/** The column that is within this place, or that this place is within. */
function withinAnother(target: string, targets: ReadonlyMap<string, string>): string | undefined {
  const open = (text: string): string => `${text.slice(0, -1)},`;
  for (const [other, name] of targets)
    if (other.startsWith(open(target)) || target.startsWith(open(other))) return name;
  return undefined;
}
