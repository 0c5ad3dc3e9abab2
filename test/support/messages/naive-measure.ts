import type { Measure } from '../../../services/questions/definition/audience.ts';

const DECIMALS = 30;
const LARGEST = 10n ** 66n;

/**
 * Whether a measure of events is within its bounds: by whole numbers of 10^-30. @param events The message of each and the
 * value of its property, in the order of the log.
 */
export function isMeasured({ of, bounds }: Measure, events: readonly (readonly [string, unknown])[]): boolean {
  const values = new Map<string, string>();
  for (const [key, value] of events) {
    const text = textOf(value);
    if (text !== undefined && (of === 'distinct' || /^[-\d]/.test(text)) && !values.has(key)) values.set(key, text);
  }
  if (values.size === 0) return false;
  const numbers = of === 'distinct' ? [] : [...values.values()].map(units);
  const sum = numbers.reduce((one, other) => one + other, 0n);
  const sorted = numbers.toSorted((one, other) => (one < other ? -1 : 1));
  const different = BigInt(new Set(values.values()).size) * 10n ** 30n;
  const result = { sum, average: sum, min: sorted.at(0), max: sorted.at(-1), distinct: different }[of] ?? 0n;
  return bounds.every(({ test, units: bound }) => {
    const gap = result - bound * (of === 'average' ? BigInt(values.size) : 1n);
    return { is: gap === 0n, is_not: gap !== 0n, gt: gap > 0n, gte: gap >= 0n, lt: gap < 0n, lte: gap <= 0n }[test];
  });
}

/** JSON: of a number that is stored as a double that of the double. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value !== 'number' && !JSON.isRawJSON(value)) return undefined;
  const text = JSON.stringify(value);
  if (/^-?\d+$/.test(text) && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 64n) return text;
  const double = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(text)));
  return String(double + 0);
}

function units(text: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)\.?(\d*)e?([+-]?\d*)$/.exec(text) ?? [];
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  const before = digits.slice(0, Math.max(point, 0)).padEnd(Math.max(point, 0), '0');
  const after = '0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0));
  const size = BigInt(before + after.padEnd(DECIMALS, '0').slice(0, DECIMALS));
  const bounded = size > LARGEST ? LARGEST : size;
  return sign === '-' ? -bounded : bounded;
}
