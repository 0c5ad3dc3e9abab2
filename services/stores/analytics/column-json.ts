/** A free-form object as the JSON column takes it. Pure. */
import { finiteDouble, INT64_MIN, UINT64_MAX } from '../../messages/decimal.ts';
import { splitObject } from '../../messages/json.ts';
import { endOfString } from '../../messages/json-text.ts';
import type { JsonText } from '../../messages/message.ts';
import { columnKey } from './json-path.ts';

// What the column would refuse or take for something else, and by a wide margin: 19 digits or more in a row (beyond 64
// bits), an exponent of three digits (beyond a double), a key that reads like one the column escaped, or that may do so
// behind a \u escape. What looks like one inside a string costs a second look, no more. One by one, and the digits written
// out, which V8 looks for by leaps: a third of the time of a single expression.
const MANY_DIGITS = new RegExp('\\d'.repeat(19));
const LONG_EXPONENT = /[eE][+-]?\d{3}/;

// A string, with the colon that makes it a key; or a number.
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*/g;

/**
 * The text for the column: as it is, but numbers beyond 64-bit integers and doubles as the nearest finite double, keys
 * as `columnKey` writes them, and lists without what is in the lists and objects in them.
 */
export function columnJson(text: JsonText): JsonText {
  return writtenForColumn(mayNestInList(text) ? flatLists(text) : text);
}

/** Whether a list or an object begins after a list has begun: what lies between is not looked at, as it may be a string. */
function mayNestInList(text: JsonText): boolean {
  const list = text.indexOf('[');
  return list !== -1 && (text.lastIndexOf('[') > list || text.lastIndexOf('{') > list);
}

/**
 * Each list and object within a list as `[]`. The column makes a type of its own of whatever is in a list, and streams of
 * each type for each path: 15,000 for 5,000 events of every shape, by powers more for hostile ones. Nobody can ask for
 * what is there by its path; that the list is there, and its other members, stay as they are.
 */
function flatLists(text: JsonText): JsonText {
  let flat = '';
  let from = 0;
  let inList = false;
  // Of what is left out.
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') {
      if (inList && depth++ === 0) flat += `${text.slice(from, at)}[]`;
      inList ||= char === '[';
    } else if (depth > 0 && (char === ']' || char === '}')) {
      if (--depth === 0) from = at + 1;
    } else if (char === ']') inList = false;
  }
  return flat + text.slice(from);
}

/** Remembers the last text: both columns that are made of one follow each other. */
function isSuspect(text: JsonText): boolean {
  if (last.text !== text) last = { text, isSuspect: hasSuspect(text) };
  return last.isSuspect;
}

let last = { text: '', isSuspect: false };

function hasSuspect(text: JsonText): boolean {
  return text.includes('%2') || text.includes('\\u00') || MANY_DIGITS.test(text) || LONG_EXPONENT.test(text);
}

function writtenForColumn(text: JsonText): JsonText {
  if (!isSuspect(text)) return text;
  return text.replace(TOKEN, (token, string: string | undefined, colon: string | undefined) => {
    if (string === undefined) return columnNumber(token);
    return colon === undefined ? token : JSON.stringify(columnKey(JSON.parse(string) as string)) + colon;
  });
}

/** The finite double that is nearest to a JSON number. Not -0, which what compares rows by their bytes takes for another. */
export function nearestDouble(number: string): number {
  return finiteDouble(Number(number)) + 0;
}

/** Of the first characters of a value's JSON, those that do not stand for its kind themselves. */
const KIND_OF_FIRST: Readonly<Record<string, string>> = { '"': 's', '-': 'd', f: 't' };

/** The column `property_kinds`; undefined, which leaves it to the table, unless the text may have what ClickHouse cannot read. */
export function columnKinds(text: JsonText): string | undefined {
  if (!isSuspect(text)) return undefined;
  const kinds = [...splitObject(text)].map(([name, value]) => {
    const first = value.charAt(0);
    return (KIND_OF_FIRST[first] ?? (/\d/.test(first) ? 'd' : first)) + name;
  });
  return kinds.sort().join('\0');
}

function columnNumber(number: string): string {
  if (/[.eE]/.test(number)) return finiteDouble(Number(number)).toExponential();
  const value = BigInt(number);
  // In its exponential form, so that the column reads a double: as 25 plain digits it would refuse the row.
  return value < INT64_MIN || value > UINT64_MAX ? finiteDouble(Number(number)).toExponential() : number;
}
