/** The header of a CSV file → what each column means. Pure. */
import { CALL_MEMBERS } from '../../messages/body-schemas.ts';
import { TidemarkError } from '../../runtime/errors.ts';

/** Members that hold a free-form object: a column of that name is the whole of it as JSON. */
const OBJECTS = ['traits', 'properties'];
/** Members of a call, which a column of that name fills. A column `context` is a trait or a property. */
const FIELDS = [...CALL_MEMBERS.identify, ...CALL_MEMBERS.track].filter(
  (name) => name !== 'context' && !OBJECTS.includes(name),
);

export interface CsvOptions {
  /** One ASCII character, neither a quote nor the end of a line. */
  readonly delimiter: string;
  /** Whether numbers, true and false in the columns of traits and properties are such, and not text. */
  readonly typed: boolean;
  /** Columns whose cells are JSON. */
  readonly jsonColumns: readonly string[];
  /** What a column is called instead. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Where a column's cells go in the call, and how they are read. */
export interface Column {
  /** As the header has it. */
  readonly name: string;
  /** The members to go through. Under `free`: of the traits of an identify, else of the properties. */
  readonly path: readonly string[];
  readonly isFree: boolean;
  readonly reads: 'text' | 'typed' | 'json';
}

/** @throws TidemarkError `COMMAND_INVALID`, naming every column that is without a name, there twice, or in another's way. */
export function readHeader(names: readonly string[], options: CsvOptions): readonly Column[] {
  const trimmed = names.map((name) => name.trim());
  const problems = [
    ...trimmed.flatMap((name, index) => (name === '' ? [`column ${index + 1} has no name`] : [])),
    ...[...options.jsonColumns, ...options.renamed.keys()]
      .filter((name) => !trimmed.includes(name))
      .map((name) => `there is no column ${JSON.stringify(name)}`),
  ];
  const columns = trimmed.map((name) => columnOf(name, options));
  const places = new Map<string, string>();
  for (const { name, path, isFree } of columns) {
    // A bare column is a trait here and a property there: both are taken then.
    for (const object of isFree ? OBJECTS : ['']) {
      const place = JSON.stringify(object === '' ? path : [object, ...path]);
      const other = places.get(place) ?? withinAnother(place, places);
      if (other !== undefined)
        problems.push(`columns ${JSON.stringify(other)} and ${JSON.stringify(name)} are in each other's way`);
      places.set(place, name);
    }
  }
  if (problems.length === 0) return columns;
  throw new TidemarkError(
    'COMMAND_INVALID',
    `The header of the CSV cannot be used: ${[...new Set(problems)].join('; ')}.`,
  );
}

/** Why every row of these columns would be refused, whatever it says; undefined where one may be good. */
export function missingColumns(columns: readonly Column[], type: 'identify' | 'track' | undefined): string | undefined {
  const has = (...names: readonly string[]): boolean =>
    columns.some(({ path: [first = ''], isFree }) => !isFree && names.includes(first));
  const missing = [
    ...(has('user_id', 'userId', 'anonymousId') ? [] : ['there is no user_id (nor userId, nor anonymousId)']),
    ...(has('type') || type !== undefined ? [] : ['there is no type, and no type is given for all rows']),
    ...(has('type', 'event') || type !== 'track' ? [] : ['there is no event']),
  ];
  if (missing.length === 0) return undefined;
  const names = columns.map(({ name }) => JSON.stringify(name.slice(0, NAME_LENGTH)));
  if (names.length > MOST_NAMES) names.splice(MOST_NAMES, names.length, '…');
  return `Every row would be refused by the columns of the header, ${names.join(', ')}: ${missing.join('; ')}.`;
}

const MOST_NAMES = 10;
const NAME_LENGTH = 60;

function columnOf(name: string, { typed, jsonColumns, renamed }: CsvOptions): Column {
  const target = renamed.get(name) ?? name;
  const isJson = jsonColumns.includes(name);
  if (FIELDS.includes(target)) return { name, path: [target], isFree: false, reads: isJson ? 'json' : 'text' };
  if (OBJECTS.includes(target)) return { name, path: [target], isFree: false, reads: 'json' };
  const reads = isJson ? 'json' : typed ? 'typed' : 'text';
  const [first = '', ...rest] = target.split('.');
  if (OBJECTS.includes(first) && rest.length > 0) return { name, path: [first, ...rest], isFree: false, reads };
  return { name, path: [target], isFree: true, reads };
}

/** The column that is within this place, or that this place is within. */
function withinAnother(place: string, places: ReadonlyMap<string, string>): string | undefined {
  const open = (text: string): string => `${text.slice(0, -1)},`;
  for (const [other, name] of places) if (other.startsWith(open(place)) || place.startsWith(open(other))) return name;
  return undefined;
}
