/** Numbers in units of 10^-30, in which their sums are exact: whole numbers of 256 bits at most. Pure. */
import { parseDecimal, withoutTrailingZeros } from '../../messages/decimal.ts';

export const DECIMALS = 30;

/** Digits before the point: larger numbers count as 10 to this power. */
export const WHOLE_DIGITS = 36;

export const UNITS_OF_ONE = 10n ** BigInt(DECIMALS);
export const UNITS_OF_MILLIONTH = UNITS_OF_ONE / 1_000_000n;
const MOST_UNITS = 10n ** BigInt(WHOLE_DIGITS + DECIMALS);

/** The units of a JSON number. Digits beyond the 30th after the point are cut, and the size is at most `MOST_UNITS`. */
export function unitsOf(text: string): bigint {
  const { sign, digits, exponent } = parseDecimal(text) ?? { sign: '', digits: '', exponent: 0 };
  const size = sizeOf(digits, exponent);
  return sign === '-' ? -size : size;
}

function sizeOf(digits: string, exponent: number): bigint {
  if (digits.length + exponent > WHOLE_DIGITS) return digits === '' ? 0n : MOST_UNITS;
  const zeros = exponent + DECIMALS;
  if (zeros >= 0) return BigInt(digits) * 10n ** BigInt(zeros);
  return digits.length + zeros > 0 ? BigInt(digits.slice(0, zeros)) : 0n;
}

/** Whether `unitsOf` keeps every digit of a JSON number. */
export function keepsDigits(text: string): boolean {
  const parsed = parseDecimal(text);
  if (parsed === undefined) return false;
  const { digits, exponent } = withoutTrailingZeros(parsed);
  return exponent >= -DECIMALS && digits.length + exponent <= WHOLE_DIGITS;
}

/** Units as the text of a JSON number, without trailing zeros. */
export function unitsText(units: bigint): string {
  const size = units < 0n ? -units : units;
  const fraction = String(size % UNITS_OF_ONE)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${size / UNITS_OF_ONE}${fraction === '' ? '' : `.${fraction}`}`;
}
