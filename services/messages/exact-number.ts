/** Numbers in JSON text that a double would alter, kept as `JSON.rawJSON` objects, which JSON.stringify writes verbatim. */

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

// 16 digits and more, or an exponent: every shorter decimal survives a double and comes back by its shortest form. What
// looks like one inside a string costs a second look, no more.
const SUSPECT = /(?:^|[:,[])\s*(-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d+))/g;

// What every match of SUSPECT holds, found in a fraction of its time: written out, V8 looks for it by leaps.
const MANY_DIGITS = new RegExp('[\\d.]'.repeat(16));
const EXPONENT = /[\d.][eE][-+\d]/;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether valid JSON text may hold a number that JSON.parse followed by JSON.stringify would write otherwise. */
export function mayHoldInexactNumber(text: string): boolean {
  if (!MANY_DIGITS.test(text) && !EXPONENT.test(text)) return false;
  SUSPECT.lastIndex = 0;
  for (let match = SUSPECT.exec(text); match !== null; match = SUSPECT.exec(text)) {
    if (String(Number(match[1])) !== match[1]) return true;
  }
  return false;
}

/** A reviver for JSON.parse that keeps every digit. It recurses: bound the depth first. */
export function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return JSON.rawJSON(shortened(source));
}

/** How many digits the number's value takes written out without an exponent. May be Infinity. */
export function digitsWrittenOut({ rawJSON }: RawNumber): number {
  const { digits, exponent } = withoutTrailingZeros(decimal(rawJSON));
  return writtenOut(digits, exponent);
}

/** A number as an integer, as its digits without leading zeros ('' is zero), times a power of ten. */
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

/** Zeros that say nothing do not count: a source too long only for them is written without. */
function shortened(source: string): string {
  const asSent = decimal(source);
  if (source.length <= MAX_NUMBER_DIGITS + 2 && writtenOut(asSent.digits, asSent.exponent) <= MAX_NUMBER_DIGITS)
    return source;
  const { sign, digits, exponent } = withoutTrailingZeros(asSent);
  if (digits === '') return '0';
  // Too long all the same: left as it is, to be refused.
  if (writtenOut(digits, exponent) > MAX_NUMBER_DIGITS) return source;
  return `${sign}${digits}${exponent === 0 ? '' : `e${exponent}`}`;
}

function decimal(source: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? [];
  return { sign, digits: (whole + fraction).replace(/^0+/, ''), exponent: Number(exponent) - fraction.length };
}

function withoutTrailingZeros({ sign, digits, exponent }: Decimal): Decimal {
  // Not /0+$/, which takes time quadratic in a run of zeros that is not at the end.
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return { sign, digits: digits.slice(0, end), exponent: end === 0 ? 0 : exponent + digits.length - end };
}

function writtenOut(digits: string, exponent: number): number {
  const length = Math.max(digits.length, 1);
  return exponent >= 0 ? length + exponent : Math.max(length + exponent, 1) - exponent;
}
