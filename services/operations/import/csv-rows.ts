/** Records of CSV → calls as JSON. Pure. */
import { CsvError, type CsvErrorCode, parse } from 'csv-parse/sync';
import { pointerTo } from '../../messages/unacceptable.ts';
import type { Problem } from '../../messages/message.ts';
import type { Column, CsvOptions } from './csv-columns.ts';
import { type JudgedCall, judgeText, type JudgeOptions, rejection } from './judge.ts';
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

/** Judges a row as the call that it makes. An empty cell says nothing. @param options With a mapping. */
export function judgeRow(cells: readonly string[], columns: readonly Column[], options: JudgeOptions): JudgedCall {
  if (cells.length !== columns.length) {
    return rejection([{ path: '', message: `has ${cells.length} fields where the header has ${columns.length}` }]);
  }
  const members: string[] = [];
  const problems: Problem[] = [];
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] as string;
    if (cell === '') continue;
    const text = jsonOf(cell, column);
    if (text === undefined) problems.push({ path: pointerIn(column, cells, columns, options), message: 'is not JSON' });
    // JSON already: no digit is lost on the way.
    else members.push(`${JSON.stringify(column.name)}:${text}`);
  }
  return problems.length > 0 ? rejection(problems) : judgeText(`{${members.join(',')}}`, options);
}

function pointerIn(
  { target }: Column,
  cells: readonly string[],
  columns: readonly Column[],
  { type, mapping }: JudgeOptions,
): string {
  if (target?.isFree !== true) return pointerTo(target?.path ?? []);
  const ownType =
    cells[columns.findIndex((column) => column.target?.isFree === false && column.target.path[0] === 'type')];
  const object = (mapping?.constants['type'] ?? (ownType || type)) === 'identify' ? 'traits' : 'properties';
  return pointerTo([object, ...target.path]);
}

/** As JSON has them: no leading zeros, so that postcodes and telephone numbers stay text. */
const NUMBER_OR_BOOLEAN = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false)$/;

export function isNumberOrBoolean(cell: string): boolean {
  return NUMBER_OR_BOOLEAN.test(cell);
}

/** The cell as JSON text; undefined where it should be and is not. */
function jsonOf(cell: string, { reads }: Column): string | undefined {
  if (reads === 'text') return JSON.stringify(cell);
  if (reads === 'typed') return isNumberOrBoolean(cell) ? cell : JSON.stringify(cell);
  try {
    JSON.parse(cell);
    return cell;
  } catch {
    return undefined;
  }
}
