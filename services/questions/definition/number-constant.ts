import { finiteDouble, wholeNumberOf } from '../../messages/decimal.ts';
import type { NumberConstant } from './audience.ts';

/** A number of JSON, as a double or as `JSON.rawJSON`; undefined for anything else. */
export function numberConstant(value: unknown): NumberConstant | undefined {
  if (typeof value !== 'number' && !JSON.isRawJSON(value)) return undefined;
  const number = typeof value === 'number' ? value : Number(value.rawJSON);
  if (Number.isNaN(number)) return undefined;
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  // + 0: minus zero is zero.
  return { double: finiteDouble(number) + 0, integer: wholeNumberOf(text) };
}
