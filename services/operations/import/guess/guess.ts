/** What a file seems to be, to be shown and changed: an import does what it is told, and never what was guessed. Pure. */
import { readJson } from '../../../messages/json.ts';
import { isObject } from '../../../messages/sdk/sdk-call.ts';
import type { ImportPreview } from '../import-options.ts';
import { MEMBERS } from '../mapping/mapping.ts';
import type { RecordMembers } from '../mapping/members.ts';
import type { Preset } from '../presets/preset.ts';
import { PRESETS } from '../presets/presets.ts';
import type { Format } from '../record.ts';
import { guessColumns, type SeenColumn } from './guess-columns.ts';
import { guessDelimiter, guessEncoding, guessFormat, guessHeader } from './guess-text.ts';
import { isMistaken, type TypedColumn, typedColumn } from './guess-types.ts';

export type Guess = ImportPreview['guess'];

const RECORDS = 20;

/**
 * @param bytes The first of the file, unpacked.
 * @param knownEvents Names of events that the project has.
 */
export function guess(bytes: Buffer, knownEvents: ReadonlySet<string> = new Set()): Guess {
  const encoding = guessEncoding(bytes);
  const decoded = new TextDecoder(encoding).decode(bytes);
  const end = decoded.lastIndexOf('\n');
  const text = end === -1 ? decoded : decoded.slice(0, end + 1);
  return guessFormat(text) === 'ndjson'
    ? guessRecords(text, encoding, knownEvents)
    : guessTable(text, encoding, knownEvents);
}

function guessRecords(text: string, encoding: string, knownEvents: ReadonlySet<string>): Guess {
  const records = text
    .split('\n')
    .slice(0, RECORDS)
    .map((line) => readJson(line))
    .flatMap((read) => (read.ok && isObject(read.value.plain) ? [read.value.plain] : []));
  const names = new Set(records.flatMap((record) => pathsOf(record)));
  const columns = [...names].map((name) => {
    return { name, values: records.map((record) => memberAt(record, name)) };
  });
  return {
    format: 'ndjson',
    encoding,
    delimiter: null,
    header: null,
    ...NO_TYPES,
    ...meaningOf(
      columns,
      presetOf('ndjson', (sign) => records.length > 0 && records.every((one) => has(one, sign))),
      knownEvents,
    ),
  };
}

const NO_TYPES = { types: false, text_columns: [], columns: [] };

function guessTable(text: string, encoding: string, knownEvents: ReadonlySet<string>): Guess {
  const { delimiter, rows } = guessDelimiter(text);
  const header = guessHeader(rows);
  const [names = []] = rows;
  const values = header ? rows.slice(1) : rows;
  const columns = header
    ? names.map((name, index) => ({ name: name.trim(), values: values.map((row) => row[index]) }))
    : [];
  const preset = presetOf('csv', (sign) => header && names.includes(sign));
  const meaning = meaningOf(columns, preset, knownEvents);
  const types = preset === undefined ? typesIn(columns, meaning.map) : NO_TYPES;
  return { format: 'csv', encoding, delimiter, header, ...types, ...meaning };
}

/** Without the members of a call, which are texts anyway. */
function typesIn(all: readonly SeenColumn[], map: Guess['map']) {
  const columns = all.map(typedColumn);
  const isFree = ({ name }: TypedColumn): boolean => !Object.hasOwn(map, name) && !MEMBERS.includes(name);
  const types = columns.some((one) => isFree(one) && (one.type === 'number' || one.type === 'boolean'));
  const texts = columns.filter((one, index) => isFree(one) && isMistaken(all[index] as SeenColumn, one));
  return { types, text_columns: types ? texts.map(({ name }) => name) : [], columns };
}

function meaningOf(columns: readonly SeenColumn[], preset: Preset | undefined, knownEvents: ReadonlySet<string>) {
  const none = { preset: null, type: null, map: {}, time_format: null, time_formats: [] };
  if (preset !== undefined) return { ...none, preset: preset.name };
  const { type, ...guessed } = guessColumns(columns, knownEvents);
  const [only = null, ...others] = guessed.time_formats;
  const saysType = columns.some(({ name }) => name === 'type');
  return { ...none, type: saysType ? null : type, ...guessed, time_format: others.length === 0 ? only : null };
}

function presetOf(format: Format, has: (sign: string) => boolean): Preset | undefined {
  return PRESETS.find((preset) => preset.format === format && preset.signs.every(has));
}

/** Its members and those of its objects. Where a call has its parts already, they are no columns. */
function pathsOf(record: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(record).flatMap(([name, value]) =>
    isObject(value) && !MEMBERS.includes(name) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
}

function memberAt(record: RecordMembers, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path];
  const [first = '', ...rest] = path.split('.');
  const inner = record[first];
  return isObject(inner) ? inner[rest.join('.')] : undefined;
}

function has(record: RecordMembers, sign: string): boolean {
  return Object.hasOwn(record, sign) || memberAt(record, sign) !== undefined;
}
