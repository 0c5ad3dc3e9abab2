/** Records of CSV → calls as JSON. Pure. */
import { CsvError, type CsvErrorCode, parse } from 'csv-parse/sync';
import type { Draft } from '../../messages/draft.ts';
import { pointerTo } from '../../messages/unacceptable.ts';
import type { Problem } from '../../messages/message.ts';
import type { Validated } from '../../messages/validate.ts';
import type { Column, CsvOptions } from './csv-columns.ts';
import { judgeText, type JudgeOptions } from './judge.ts';
import type { RawRecord } from './record.ts';

/** The cells of a record, or what keeps it from having any. */
export type Cells =
  | { readonly ok: true; readonly cells: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const END_OF_LINE = Buffer.from('\n');

/** The cells of records, none of which is blank or faulty, in their order. */
export function readCells(
  records: readonly RawRecord[],
  { delimiter }: Pick<CsvOptions, 'delimiter'>,
): readonly Cells[] {
  if (records.length === 0) return [];
  try {
    // All at once: 30 times as fast as one by one. Each ends outside quotes, so that none reaches into the next.
    const rows = parseAll(Buffer.concat(records.flatMap(({ bytes }) => [bytes, END_OF_LINE])), delimiter);
    if (rows.length === records.length) return rows.map((cells) => ({ ok: true, cells }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return records.map(({ bytes }) => readAlone(bytes, delimiter));
}

function readAlone(bytes: Buffer, delimiter: string): Cells {
  try {
    const [cells, another] = parseAll(bytes, delimiter);
    if (cells !== undefined && another === undefined) return { ok: true, cells };
    return { ok: false, problems: [{ path: '', message: 'is not one record of CSV' }] };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { ok: false, problems: [{ path: '', message: SAID[error.code] ?? `is not CSV: ${error.message}` }] };
  }
}

const SAID: Partial<Record<CsvErrorCode, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'has more after the quote that closes a field (a quote within a field is written twice)',
  INVALID_OPENING_QUOTE: 'has a quote within a field that does not begin with one',
};

function parseAll(bytes: Buffer, delimiter: string): string[][] {
  return parse(bytes, { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true });
}

/** Judges a row as the call that it makes. An empty cell says nothing. */
export function judgeRow(
  cells: readonly string[],
  columns: readonly Column[],
  options: JudgeOptions,
): Validated<Draft> {
  if (cells.length !== columns.length) {
    const message = `has ${cells.length} fields where the header has ${columns.length}`;
    return { ok: false, problems: [{ path: '', message }] };
  }
  const type = typeOf(cells, columns) ?? options.type;
  const free = type === 'identify' ? 'traits' : 'properties';
  const call: Tree = new Map();
  const problems: Problem[] = [];
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] as string;
    if (cell === '') continue;
    const path = column.isFree ? [free, ...column.path] : column.path;
    const text = jsonOf(cell, column);
    if (text === undefined) problems.push({ path: pointerTo(path), message: 'is not JSON' });
    else put(call, path, text);
  }
  return problems.length > 0 ? { ok: false, problems } : judgeText(textOf(call), options);
}

function typeOf(cells: readonly string[], columns: readonly Column[]): string | undefined {
  const cell = cells[columns.findIndex(({ path, isFree }) => !isFree && path[0] === 'type')];
  return cell === '' ? undefined : cell;
}

/** As JSON has them: no leading zeros, so that postcodes and telephone numbers stay text. */
const NUMBER_OR_BOOLEAN = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false)$/;

/** The cell as JSON text; undefined where it should be and is not. */
function jsonOf(cell: string, { reads }: Column): string | undefined {
  if (reads === 'text') return JSON.stringify(cell);
  if (reads === 'typed') return NUMBER_OR_BOOLEAN.test(cell) ? cell : JSON.stringify(cell);
  try {
    JSON.parse(cell);
    return cell;
  } catch {
    return undefined;
  }
}

/** An object to be, its leaves JSON already: no digit is lost on the way. */
type Tree = Map<string, Tree | string>;

function put(tree: Tree, [first = '', ...rest]: readonly string[], text: string): void {
  if (rest.length === 0) {
    tree.set(first, text);
    return;
  }
  let inner = tree.get(first);
  if (inner === undefined || typeof inner === 'string') tree.set(first, (inner = new Map()));
  put(inner, rest, text);
}

function textOf(tree: Tree): string {
  const members = [...tree].map(
    ([key, value]) => `${JSON.stringify(key)}:${typeof value === 'string' ? value : textOf(value)}`,
  );
  return `{${members.join(',')}}`;
}
