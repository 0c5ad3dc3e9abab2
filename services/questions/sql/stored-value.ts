/** Tests a JSON value in memory, with the same result as ClickHouse has for the stored value. Pure. */
import {
  type Comparison,
  type Constant,
  type NumberConstant,
  numberConstant,
  type Test,
} from '../definition/audience.ts';
import { isJsonObject } from '../definition/reading.ts';

/**
 * Where a value is stored, which decides what counts as a number's exact value and when an object is there:
 *
 * - `trait`: a trait as a whole. Whole numbers are exact however they are written.
 * - `in-trait`, `property`: inside a trait, or in properties. Written with a fraction or an exponent it is a double.
 *
 * In properties, an object without a value in it does not exist.
 */
export type ValueLocation = 'trait' | 'in-trait' | 'property';

// Numbers that may share a double with others: 2^53 has 16 digits.
const LARGE_NUMBER = /\d{16}|\d[eE]/;

/** Parses JSON. Numbers that may be large become `JSON.rawJSON` with their original text. */
export function parseStoredJson(text: string): unknown {
  return LARGE_NUMBER.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text);
}

function asWritten(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value;
}

/** The value under these keys, or undefined. */
export function valueAt(container: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    container,
  );
}

export function passesAll(value: unknown, tests: readonly Test[], place: ValueLocation): boolean {
  return tests.every((test) => passes(value, test, place));
}

function passes(value: unknown, test: Test, place: ValueLocation): boolean {
  switch (test.test) {
    case 'is':
      return equals(value, test.value, place);
    case 'is_not':
      return !equals(value, test.value, place);
    case 'in':
      return test.values.some((wanted) => equals(value, wanted, place));
    case 'exists':
      return test.value === exists(value, place);
    case 'contains':
      return contains(value, test.value, place);
    case 'starts_with':
      return typeof value === 'string' && value.startsWith(test.value);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      break;
  }
  return isInOrder(compareValues(value, test.value, place), test.test);
}

function isInOrder(order: number | undefined, comparison: Comparison): boolean {
  if (order === undefined) return false;
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[comparison];
}

function exists(value: unknown, place: ValueLocation): boolean {
  if (value === undefined || value === null) return false;
  return place !== 'property' || !isJsonObject(value) || Object.values(value).some((member) => exists(member, place));
}

function contains(value: unknown, wanted: Constant, place: ValueLocation): boolean {
  if (typeof value === 'string') return typeof wanted === 'string' && value.includes(wanted);
  if (!Array.isArray(value)) return false;
  const members: readonly unknown[] = value;
  if (typeof wanted !== 'object') return members.includes(wanted);
  const inside = place === 'trait' ? 'in-trait' : place;
  const numbers = members.map((member) => storedNumber(member, inside)).filter((number) => number !== undefined);
  return numbers.some((number) => orderOf(number, wanted) === 0);
}

function equals(value: unknown, wanted: Constant, place: ValueLocation): boolean {
  return typeof wanted === 'boolean' ? value === wanted : compareValues(value, wanted, place) === 0;
}

/** Negative, zero or positive; undefined if the values have different types. */
function compareValues(value: unknown, wanted: string | NumberConstant, place: ValueLocation): number | undefined {
  if (typeof wanted === 'string') {
    // By code point, which is the order of UTF-8.
    return typeof value === 'string' ? Buffer.compare(Buffer.from(value), Buffer.from(wanted)) : undefined;
  }
  const number = storedNumber(value, place);
  return number && orderOf(number, wanted);
}

function storedNumber(value: unknown, place: ValueLocation): NumberConstant | undefined {
  const number = numberConstant(value);
  const isDouble = place !== 'trait' && JSON.isRawJSON(value) && /[.eE]/.test(value.rawJSON);
  return number && isDouble ? { ...number, integer: null } : number;
}

function orderOf(one: NumberConstant, other: NumberConstant): number {
  if (one.integer !== null && other.integer !== null)
    return Number(one.integer > other.integer) - Number(one.integer < other.integer);
  return Math.sign(one.double - other.double);
}
