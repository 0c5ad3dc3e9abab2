import type { NumberConstant } from './audience.ts';

const JSON_NUMBER = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** A number of JSON, as a double or as `JSON.rawJSON`; undefined for anything else. */
export function numberConstant(value: unknown): NumberConstant | undefined {
  if (typeof value !== 'number' && !JSON.isRawJSON(value)) return undefined;
  const number = typeof value === 'number' ? value : Number(value.rawJSON);
  if (Number.isNaN(number)) return undefined;
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  const finite = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number));
  // + 0: minus zero is zero.
  return { double: finite + 0, integer: wholeNumber(text) };
}

/** The value of a number written in JSON where it is whole and has 64 bits: `1e3` is 1000. */
function wholeNumber(text: string): bigint | null {
  const [, whole, fraction = '', exponent = '0'] = JSON_NUMBER.exec(text) ?? [];
  if (whole === undefined) return null;
  const digits = whole + fraction;
  const zeros = Number(exponent) - fraction.length;
  if (/^-?0+$/.test(digits)) return 0n;
  // Past 20 digits nothing fits; and a power of ten may be too large to write out.
  if (zeros > 20) return null;
  const value = zeros >= 0 ? BigInt(digits) * 10n ** BigInt(zeros) : withoutFraction(digits, -zeros);
  return value === null || value < INT64_MIN || value > UINT64_MAX ? null : value;
}

function withoutFraction(digits: string, places: number): bigint | null {
  const whole = digits.slice(0, -places);
  return /^0*$/.test(digits.slice(-places)) && /\d/.test(whole) ? BigInt(whole) : null;
}
