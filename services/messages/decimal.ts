/** Decimal numbers in the text of JSON: taken apart, compared with the digit limit, read as 64-bit integers. Pure. */

/** A number as an integer, as its digits without leading zeros ('' is zero), times a power of ten. */
export interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;
export const UINT64_MAX = 2n ** 64n - 1n;

/** Undefined where the text is not a JSON number. */
export function parseDecimal(text: string): Decimal | undefined {
  const parts = JSON_NUMBER.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  return { sign, digits: (whole + fraction).replace(/^0+/, ''), exponent: Number(exponent) - fraction.length };
}

export function withoutTrailingZeros({ sign, digits, exponent }: Decimal): Decimal {
  // Not /0+$/, which takes time quadratic in a run of zeros that is not at the end.
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return { sign, digits: digits.slice(0, end), exponent: end === 0 ? 0 : exponent + digits.length - end };
}

/** How many digits the value takes without an exponent. May be Infinity. */
export function writtenOutLength({ digits, exponent }: Decimal): number {
  const length = Math.max(digits.length, 1);
  return exponent >= 0 ? length + exponent : Math.max(length + exponent, 1) - exponent;
}

/** The value of a JSON number where it is whole and has 64 bits, signed or not: `1e3` is 1000. */
export function wholeNumberOf(text: string): bigint | null {
  const parsed = parseDecimal(text);
  if (parsed === undefined) return null;
  const { sign, digits, exponent } = withoutTrailingZeros(parsed);
  if (digits === '') return 0n;
  // Beyond 20 digits nothing fits, and a power of ten may be too large to write out.
  if (exponent < 0 || exponent > 20 || digits.length > 20) return null;
  const value = BigInt(`${sign}${digits}`) * 10n ** BigInt(exponent);
  return value < INT64_MIN || value > UINT64_MAX ? null : value;
}

/** The nearest double that is not infinite. */
export function finiteDouble(number: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number));
}

/** The finite double that is nearest to a JSON number. Not -0, which what compares rows by their bytes takes for another. */
export function nearestDouble(number: string): number {
  return finiteDouble(Number(number)) + 0;
}
