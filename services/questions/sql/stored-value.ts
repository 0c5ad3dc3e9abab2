/** JSON as ClickHouse has stored it, in memory. Pure. */
import { isJsonObject } from '../definition/reading.ts';

/**
 * Where a value is stored, which decides what counts as a number's exact value and when an object is there:
 *
 * - `trait`: a trait as a whole. Whole numbers are exact however they are written.
 * - `in-trait`, `property`: inside a trait, or in properties. Written with a fraction or an exponent it is a double.
 * - `in-list`: in an object of a list. What is written so is the shortest decimal that stands for its double.
 *
 * In properties, an object without a value in it does not exist.
 */
export type ValueLocation = 'trait' | 'in-trait' | 'property' | 'in-list';

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
