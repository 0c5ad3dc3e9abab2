/** JSON texts made comparable: independent of the service's own reading of JSON. */
import { hash } from 'node:crypto';

/**
 * The same text for every way to write the same JSON value: keys in order, of a duplicate key the last, every number as its
 * decimal value, however large.
 */
export function canonical(text: string): string {
  const value: unknown = JSON.parse(text, (_key, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' ? new Decimal(source ?? String(value)) : value,
  );
  return written(value);
}

/** Hex digits that differ where any of the parts does. */
export function fingerprint(parts: readonly (string | bigint | boolean | null)[]): string {
  const text = JSON.stringify(parts.map((part) => (typeof part === 'bigint' ? `${part}n` : part)));
  return hash('sha256', text, 'hex').slice(0, 32);
}

class Decimal {
  readonly text: string;

  constructor(source: string) {
    const [, sign = '', whole = '', fraction = '', exponent = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
    const digits = (whole + fraction).replace(/^0+/, '');
    const shown = digits.replace(/0+$/, '');
    const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - shown.length);
    this.text = shown === '' ? '0' : `${sign}${shown}e${power}`;
  }
}

function written(value: unknown): string {
  if (value instanceof Decimal) return value.text;
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${written(member)}`).join(',')}}`;
}
