/** Constants that values are compared with: read, described, and compared in ClickHouse and in memory. Pure. */
import { type Constant, type NumberConstant, numberConstant, type TextOptions } from '../definition/audience.ts';
import type { Reading } from '../definition/reading.ts';
import { anyOf, equalsSql, folded, foldedSql, orFalse, type ValueSql } from '../definition/value.ts';
import type { Params } from '../sql/params.ts';
import type { ValueLocation } from '../sql/stored-value.ts';

export function readConstant(reading: Reading, value: unknown, path: string): Constant | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return reading.text(value, path);
  if (value === null) return reading.refuse(path, 'is null, which no value is: ask whether it exists');
  return numberConstant(value) ?? reading.refuse(path, 'is neither a string, a number, true nor false');
}

export function readOrdered(reading: Reading, value: unknown, path: string): string | NumberConstant | undefined {
  if (typeof value === 'string') return reading.text(value, path);
  return numberConstant(value) ?? reading.refuse(path, 'is neither a number nor a string');
}

const DURATION = /^\d+[hdw]$/;

/** Warns of a text such as 90d: a comparison takes it as that text. @param key The member of `date` that is meant. */
export function warnOfDuration(reading: Reading, value: unknown, path: string, key: string): void {
  if (typeof value !== 'string' || !DURATION.test(value)) return;
  const meant = JSON.stringify({ date: { [key]: value } });
  reading.warn(
    path,
    `compares with the text ${JSON.stringify(value)}; for a date and a time that moves, write ${meant}`,
  );
}

/** The test with this value; undefined where the value was refused. */
export function testOf<T extends string, V>(test: T, value: V | undefined): { test: T; value: V } | undefined {
  return value === undefined ? undefined : { test, value };
}

export function describeConstant(constant: Constant): string {
  return typeof constant === 'object' ? String(constant.integer ?? constant.double) : JSON.stringify(constant);
}

/** What follows the description of a test. */
export function describeOptions({ ignoresCase }: TextOptions): string {
  return ignoresCase === true ? ' (ignoring case)' : '';
}

/** The condition that the value equals one of these. */
export function isOneOf(
  params: Params,
  value: ValueSql,
  wanted: readonly Constant[],
  options: TextOptions = {},
): string {
  const strings = wanted.filter((constant) => typeof constant === 'string');
  const numbers = wanted.filter((constant) => typeof constant === 'object');
  // Each once: a list may repeat them a thousand times, and a condition for each took ClickHouse 10 s to plan.
  const booleans = new Set(wanted.filter((constant) => typeof constant === 'boolean'));
  const conditions = [...booleans].map((boolean) => value.isBoolean(boolean));
  if (strings.length > 0) conditions.push(isOneOfStrings(params, value, strings, options));
  if (numbers.length > 0) conditions.push(isOneOfNumbers(value, numbers));
  return anyOf(conditions);
}

function isOneOfStrings(params: Params, value: ValueSql, wanted: readonly string[], options: TextOptions): string {
  const [only = '', ...others] = wanted;
  if (others.length === 0) return orFalse(equalsSql(params, value.string(), only, options));
  const list = params.strings(wanted.map((text) => folded(text, options)));
  return orFalse(`${foldedSql(value.string(), options)} IN ${list}`);
}

function isOneOfNumbers(value: ValueSql, wanted: readonly NumberConstant[]): string {
  const [only, ...others] = wanted;
  return only && others.length === 0 ? value.isNumber('=', only) : value.isOneOf(wanted);
}

export function equals(value: unknown, wanted: Constant, location: ValueLocation, options: TextOptions = {}): boolean {
  if (typeof value === 'string' && typeof wanted === 'string')
    return folded(value, options) === folded(wanted, options);
  return typeof wanted === 'boolean' ? value === wanted : compareValues(value, wanted, location) === 0;
}

/** Negative, zero or positive; undefined if the values have different types. */
export function compareValues(
  value: unknown,
  wanted: string | NumberConstant,
  location: ValueLocation,
): number | undefined {
  if (typeof wanted === 'string') {
    // By code point, which is the order of UTF-8.
    return typeof value === 'string' ? Buffer.compare(Buffer.from(value), Buffer.from(wanted)) : undefined;
  }
  const number = storedNumber(value, location);
  return number && orderOf(number, wanted);
}

export function storedNumber(value: unknown, location: ValueLocation): NumberConstant | undefined {
  const number = numberConstant(value);
  const isDouble = location !== 'trait' && JSON.isRawJSON(value) && /[.eE]/.test(value.rawJSON);
  if (!number || !isDouble) return number;
  return location === 'in-list' ? numberConstant(number.double) : { ...number, integer: null };
}

export function orderOf(one: NumberConstant, other: NumberConstant): number {
  if (one.integer !== null && other.integer !== null)
    return Number(one.integer > other.integer) - Number(one.integer < other.integer);
  return Math.sign(one.double - other.double);
}
