import type { Constant, TextOptions } from '../definition/audience.ts';
import { anyOf, folded, foldedSql, orFalse, type ValueSql } from '../definition/value.ts';
import type { Params } from '../sql/params.ts';
import type { ValueLocation } from '../sql/stored-value.ts';
import { describeConstant, describeOptions, equals, orderOf, readConstant, storedNumber, testOf } from './constant.ts';
import type { Operator, TestOf } from './operator.ts';

export const CONTAINS: Operator<TestOf<'contains'>> = {
  read: (reading, value, path) => testOf('contains', readConstant(reading, value, path)),
  describe: (test) => `contains ${describeConstant(test.value)}${describeOptions(test)}`,
  sql: ({ params }, value, test) => containsSql(params, value, test.value, test),
  passes: (value, test, { location }) => contains(value, test.value, location, test),
};

export const STARTS_WITH: Operator<TestOf<'starts_with'>> = {
  read: (reading, value, path) => testOf('starts_with', reading.text(value, path)),
  describe: (test) => `begins with ${describeConstant(test.value)}${describeOptions(test)}`,
  sql: ({ params }, value, test) => endSql(params, 'startsWith', value, test),
  passes: (value, test) => typeof value === 'string' && folded(value, test).startsWith(folded(test.value, test)),
};

export const ENDS_WITH: Operator<TestOf<'ends_with'>> = {
  read: (reading, value, path) => testOf('ends_with', reading.text(value, path)),
  describe: (test) => `ends with ${describeConstant(test.value)}${describeOptions(test)}`,
  sql: ({ params }, value, test) => endSql(params, 'endsWith', value, test),
  passes: (value, test) => typeof value === 'string' && folded(value, test).endsWith(folded(test.value, test)),
};

function endSql(
  params: Params,
  fn: 'startsWith' | 'endsWith',
  value: ValueSql,
  test: TestOf<'starts_with' | 'ends_with'>,
): string {
  return orFalse(`${fn}(${foldedSql(value.string(), test)}, ${params.string(folded(test.value, test))})`);
}

/** A string with this in it, or a list with this among its members. */
function containsSql(params: Params, value: ValueSql, wanted: Constant, options: TextOptions): string {
  if (typeof wanted === 'boolean') return value.hasBoolean(wanted);
  if (typeof wanted === 'object') return value.hasNumber(wanted);
  const text = foldedSql(value.string(), options);
  const within = orFalse(`position(${text}, ${params.string(folded(wanted, options))}) > 0`);
  return anyOf([within, value.hasString(wanted, options)]);
}

function contains(value: unknown, wanted: Constant, location: ValueLocation, options: TextOptions): boolean {
  if (typeof value === 'string')
    return typeof wanted === 'string' && folded(value, options).includes(folded(wanted, options));
  if (!Array.isArray(value)) return false;
  const members: readonly unknown[] = value;
  const inside = location === 'trait' ? 'in-trait' : location;
  if (typeof wanted !== 'object') return members.some((member) => equals(member, wanted, inside, options));
  const numbers = members.map((member) => storedNumber(member, inside)).filter((number) => number !== undefined);
  return numbers.some((number) => orderOf(number, wanted) === 0);
}
