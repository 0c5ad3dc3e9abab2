/** How `tidemark import` is told what its files hold. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportOptions } from './client/import-by-service.ts';

/** As the options are called on the command line. */
export interface FileFormOptions extends Pick<ImportOptions, 'type' | 'format' | 'preset' | 'timezone' | 'encoding'> {
  readonly delimiter: string;
  readonly types?: true;
  readonly textColumn: readonly string[];
  readonly jsonColumn: readonly string[];
  readonly map: ReadonlyMap<string, string | null>;
  readonly set: ReadonlyMap<string, string>;
  readonly timeFormat?: string;
  readonly columns?: readonly string[];
}

export function addFormOptions(command: Command): Command {
  return command
    .option('--preset <name>', 'the product whose export it is, as segment, posthog, mixpanel (docs/import.md)')
    .addOption(new Option('--type <type>', 'what lines are that do not say').choices(['identify', 'track']))
    .addOption(
      new Option('--format <format>', 'what the file holds (default: as it begins)').choices(['ndjson', 'csv']),
    )
    .option(
      '--map <source=name>',
      'read a column or a member as another, as in Email=user_id; without a name it is left out (repeatable)',
      readMapping,
      new Map(),
    )
    .option('--set <name=text>', 'what every call has, as in type=track (repeatable)', readConstant, new Map())
    .option('--timezone <zone>', 'where times without an offset are (default: the time zone of the project)')
    .option('--time-format <format>', 'how times are written, as DD/MM/YYYY HH:mm, s, ms, us, ns or excel')
    .option('--encoding <name>', 'as utf-16le or windows-1252 (default: UTF-8)')
    .option('--delimiter <character>', 'CSV: what separates the fields; tab for a tab', readDelimiter, ',')
    .option('--columns <names>', 'CSV: names of the columns, where the first line is a row', (text) => text.split(','))
    .option('--types', 'CSV: numbers, true and false are such, and not text')
    .option('--text-column <name>', 'CSV: a column whose cells stay text beside --types (repeatable)', collect, [])
    .option('--json-column <name>', 'CSV: a column whose cells are JSON (repeatable)', collect, []);
}

/** As a request has them. */
export function formOf(options: FileFormOptions) {
  return {
    type: options.type,
    format: options.format,
    preset: options.preset,
    timezone: options.timezone,
    encoding: options.encoding,
    delimiter: options.delimiter,
    types: options.types,
    columns: options.columns,
    text_columns: options.textColumn.length > 0 ? options.textColumn : undefined,
    json_columns: options.jsonColumn,
    map: Object.fromEntries(options.map),
    set: Object.fromEntries(options.set),
    time_format: options.timeFormat,
  };
}

function readDelimiter(text: string): string {
  const character = text === 'tab' || text === '\\t' ? '\t' : text;
  if (/^[\t\x20-\x7e]$/.test(character) && character !== '"') return character;
  throw new InvalidArgumentError('It is one ASCII character, or tab.');
}

function readMapping(text: string, before: ReadonlyMap<string, string | null>): ReadonlyMap<string, string | null> {
  const at = text.lastIndexOf('=');
  if (at > 0) return new Map([...before, [text.slice(0, at), text.slice(at + 1) || null]]);
  throw new InvalidArgumentError('It is SOURCE=NAME, as in Email=user_id.');
}

function readConstant(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at > 0 && at < text.length - 1) return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
  throw new InvalidArgumentError('It is NAME=TEXT, as in type=track.');
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
