/** What the first bytes of a file say of its encoding, its format and its columns' delimiter. Pure. */
import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import type { Format } from '../record.ts';

/** @param bytes The first of the file, unpacked. */
export function guessEncoding(bytes: Buffer): string {
  if (bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]))) return 'utf-16le';
  if (bytes.subarray(0, 2).equals(Buffer.from([0xfe, 0xff]))) return 'utf-16be';
  // Every other byte of Latin text is zero then.
  const zeros = [0, 1].map((from) => bytes.filter((byte, index) => byte === 0 && index % 2 === from).length);
  if (Math.max(...zeros) > bytes.length / 4) return (zeros[1] ?? 0) > (zeros[0] ?? 0) ? 'utf-16le' : 'utf-16be';
  // The last character may be cut in two: bytes over 127.
  const last = bytes.findLastIndex((byte) => byte < 0x80) + 1;
  const isText = isUtf8(bytes) || (bytes.length - last < 4 && isUtf8(bytes.subarray(0, last)));
  return isText ? 'utf-8' : 'windows-1252';
}

export function guessFormat(text: string): Format {
  return text.trimStart().startsWith('{') ? 'ndjson' : 'csv';
}

const DELIMITERS = [',', ';', '\t', '|'];
const COMPARED_ROWS = 20;
const MOST_ROWS = 1_000;

export interface GuessedTable {
  readonly delimiter: string;
  /** The first thousand. */
  readonly rows: readonly (readonly string[])[];
}

/** The delimiter that cuts the most rows into the same number of fields. @param text Whole lines. */
export function guessDelimiter(text: string): GuessedTable {
  const tables = DELIMITERS.map((delimiter) => ({ delimiter, rows: parsedRows(text, delimiter, COMPARED_ROWS) }));
  const { delimiter } = tables.reduce((best, table) => (fitOf(table.rows) > fitOf(best.rows) ? table : best));
  return { delimiter, rows: parsedRows(text, delimiter, MOST_ROWS) };
}

function parsedRows(text: string, delimiter: string, to: number): string[][] {
  const options = { delimiter, to, bom: true, relax_column_count: true, relax_quotes: true };
  try {
    return parse(text, { ...options, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] });
  } catch {
    return [];
  }
}

/** How many rows have as many fields as the first one, which has several. */
function fitOf(rows: readonly (readonly string[])[]): number {
  const [first = []] = rows;
  return first.length < 2 ? 0 : rows.filter(({ length }) => length === first.length).length;
}

/** Whether the first row names columns: all its fields are different texts, and none is a number or a time. */
export function guessHeader([first = []]: readonly (readonly string[])[]): boolean {
  const isName = (cell: string): boolean => cell.trim() !== '' && !/^[-+\d.,:/ TZ]+$/.test(cell.trim());
  return first.every(isName) && new Set(first).size === first.length;
}
