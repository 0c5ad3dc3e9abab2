import type { Measure, MeasureBound } from '../definition/audience.ts';
import { readPath } from '../definition/read-path.ts';
import type { Reading } from '../definition/reading.ts';
import { DECIMALS, keepsDigits, unitsOf, WHOLE_DIGITS } from './exact-number.ts';

const FUNCTIONS = ['sum', 'average', 'min', 'max', 'distinct'] as const satisfies readonly Measure['of'][];
const COMPARISONS = ['is', 'is_not', 'gt', 'gte', 'lt', 'lte'] as const satisfies readonly MeasureBound['test'][];

/** `{"sum": PATH, "gte": 500}`: one function and one or more bounds. */
export function readMeasure(reading: Reading, value: unknown, path: string): Measure | undefined {
  const body = reading.object(value, path);
  if (!body) return undefined;
  reading.onlyKeys(body, [...FUNCTIONS, ...COMPARISONS], path);
  const [of, ...others] = FUNCTIONS.filter((name) => Object.hasOwn(body, name));
  if (of === undefined || others.length > 0) return reading.refuse(path, `needs one of ${FUNCTIONS.join(', ')}`);
  const keys = readPath(reading, body[of], `${path}/${of}`);
  const given = COMPARISONS.filter((name) => Object.hasOwn(body, name));
  if (given.length === 0) return reading.refuse(path, `needs one of ${COMPARISONS.join(', ')}`);
  const bounds = given.map((test) => readBound(reading, test, body[test], `${path}/${test}`));
  return keys && bounds.every((bound) => bound !== undefined) ? { of, path: keys, bounds } : undefined;
}

function readBound(
  reading: Reading,
  test: MeasureBound['test'],
  value: unknown,
  path: string,
): MeasureBound | undefined {
  const text = typeof value === 'number' ? String(value) : JSON.isRawJSON(value) ? value.rawJSON : '';
  if (text === '') return reading.refuse(path, 'is not a number');
  if (keepsDigits(text)) return { test, units: unitsOf(text) };
  return reading.refuse(path, `has more than ${WHOLE_DIGITS} digits before the point, or ${DECIMALS} after it`);
}
