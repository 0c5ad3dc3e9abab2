/** Numbers in JSON text that a double would alter, kept as `JSON.rawJSON` objects, which JSON.stringify writes verbatim. */

import { type Decimal, parseDecimal, withoutTrailingZeros, writtenOutLength } from './decimal.ts';

/** What `JSON.rawJSON` makes: the source text of one number. */
export interface RawNumber {
  readonly rawJSON: string;
}

// TypeScript's own library does not know this part of ECMAScript yet (proposal-json-parse-with-source, in V8 since 11.4).
declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

/** Digits of a number written out without an exponent: what both stores hold. */
export const MAX_NUMBER_DIGITS = 1000;

// 16 digits and more, or an exponent: what is shorter survives a double. Such digits are found in a fraction of the time that
// a look at every number takes: written out, V8 looks for them by leaps. What looks like one inside a string costs that look.
const MANY_DIGITS = new RegExp('[\\d.]'.repeat(16));
const EXPONENT = /[\d.][eE][-+\d]/;

/** Whether valid JSON text may hold a number that JSON.parse followed by JSON.stringify would alter. */
export function mayHoldInexactNumber(text: string): boolean {
  return MANY_DIGITS.test(text) || EXPONENT.test(text);
}

/**
 * Whether the double next to a JSON number has the same value by its shortest form. Any decimal of 15 digits does, within the
 * range of doubles: such a number is not looked at again, however it is written.
 */
export function survivesDouble(source: string): boolean {
  const { mantissaLength, exponent } = lengthsOf(source);
  if (mantissaLength < 16 && Math.abs(exponent) < 290) return true;
  return String(Number(source)) === source;
}

/** More than any way of writing the number takes without an exponent, found without looking at its digits. */
export function digitsAtMost(source: string): number {
  const { mantissaLength, exponent } = lengthsOf(source);
  return mantissaLength + Math.abs(exponent);
}

/** The number written in `source`, kept digit for digit. */
export function rawNumber(source: string): RawNumber {
  return JSON.rawJSON(shortened(source));
}

function lengthsOf(source: string): { readonly mantissaLength: number; readonly exponent: number } {
  const e = source.search(/[eE]/);
  const end = e === -1 ? source.length : e;
  const mantissaLength = source.startsWith('-') ? end - 1 : end;
  return { mantissaLength, exponent: e === -1 ? 0 : Number(source.slice(e + 1)) };
}

/** A reviver for JSON.parse that keeps every digit. It recurses: bound the depth first. */
export function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value !== 'number' || source === undefined || survivesDouble(source) ? value : rawNumber(source);
}

/** How many digits the number's value takes written out without an exponent. May be Infinity. */
export function digitsWrittenOut({ rawJSON }: RawNumber): number {
  return writtenOutLength(withoutTrailingZeros(decimal(rawJSON)));
}

/** Zeros that say nothing do not count: a source too long only for them is written without. */
function shortened(source: string): string {
  if (digitsAtMost(source) <= MAX_NUMBER_DIGITS || isSurelyTooLong(source)) return source;
  const asSent = decimal(source);
  if (source.length <= MAX_NUMBER_DIGITS + 2 && writtenOutLength(asSent) <= MAX_NUMBER_DIGITS) return source;
  const shortest = withoutTrailingZeros(asSent);
  const { sign, digits, exponent } = shortest;
  if (digits === '') return '0';
  // Too long all the same: left as it is, to be refused.
  if (writtenOutLength(shortest) > MAX_NUMBER_DIGITS) return source;
  return `${sign}${digits}${exponent === 0 ? '' : `e${exponent}`}`;
}

/** Told without taking the number apart, for a body of nothing but such numbers. */
function isSurelyTooLong(source: string): boolean {
  const { mantissaLength, exponent } = lengthsOf(source);
  return Math.abs(exponent) > MAX_NUMBER_DIGITS + mantissaLength && /^[-0.]*[1-9]/.test(source);
}

function decimal(source: string): Decimal {
  return parseDecimal(source) ?? { sign: '', digits: '', exponent: 0 };
}
