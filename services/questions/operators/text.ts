import type { Constant } from '../definition/audience.ts';
import { anyOf, orFalse, type ValueSql } from '../definition/value.ts';
import type { Params } from '../sql/params.ts';
import type { ValueLocation } from '../sql/stored-value.ts';
import { describeConstant, orderOf, readConstant, storedNumber, testOf } from './constant.ts';
import type { Operator, TestOf } from './operator.ts';

export const CONTAINS: Operator<TestOf<'contains'>> = {
  read: (reading, value, path) => testOf('contains', readConstant(reading, value, path)),
  describe: ({ value }) => `contains ${describeConstant(value)}`,
  sql: ({ params }, value, test) => containsSql(params, value, test.value),
  passes: (value, test, { location }) => contains(value, test.value, location),
};

export const STARTS_WITH: Operator<TestOf<'starts_with'>> = {
  read: (reading, value, path) => testOf('starts_with', reading.text(value, path)),
  describe: ({ value }) => `starts with ${describeConstant(value)}`,
  sql: ({ params }, value, test) => orFalse(`startsWith(${value.string()}, ${params.string(test.value)})`),
  passes: (value, test) => typeof value === 'string' && value.startsWith(test.value),
};

/** A string with this in it, or a list with this among its members. */
function containsSql(params: Params, value: ValueSql, wanted: Constant): string {
  if (typeof wanted === 'boolean') return value.hasBoolean(wanted);
  if (typeof wanted === 'object') return value.hasNumber(wanted);
  const within = orFalse(`position(${value.string()}, ${params.string(wanted)}) > 0`);
  return anyOf([within, value.hasString(wanted)]);
}

function contains(value: unknown, wanted: Constant, location: ValueLocation): boolean {
  if (typeof value === 'string') return typeof wanted === 'string' && value.includes(wanted);
  if (!Array.isArray(value)) return false;
  const members: readonly unknown[] = value;
  if (typeof wanted !== 'object') return members.includes(wanted);
  const inside = location === 'trait' ? 'in-trait' : location;
  const numbers = members.map((member) => storedNumber(member, inside)).filter((number) => number !== undefined);
  return numbers.some((number) => orderOf(number, wanted) === 0);
}
