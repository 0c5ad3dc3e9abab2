import type { Comparison, Constant, NumberConstant, Test } from '../definition/audience.ts';
import type { Params } from './params.ts';
import { anyOf, OPERATOR_SQL, orFalse, type ValueSql } from '../definition/value.ts';

/** The condition that a value passes every one of these tests. Never NULL. */
export function testsSql(params: Params, value: ValueSql, tests: readonly Test[]): string {
  return tests.map((test) => testSql(params, value, test)).join(' AND ');
}

function testSql(params: Params, value: ValueSql, test: Test): string {
  switch (test.test) {
    case 'is':
      return isOneOf(params, value, [test.value]);
    case 'is_not':
      return `NOT ${isOneOf(params, value, [test.value])}`;
    case 'in':
      return isOneOf(params, value, test.values);
    case 'exists':
      return test.value ? value.exists() : `NOT (${value.exists()})`;
    case 'contains':
      return contains(params, value, test.value);
    case 'starts_with':
      return orFalse(`startsWith(${value.string()}, ${params.string(test.value)})`);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      break;
  }
  return comparisonSql(params, value, test);
}

function isOneOf(params: Params, value: ValueSql, wanted: readonly Constant[]): string {
  const strings = wanted.filter((constant) => typeof constant === 'string');
  const numbers = wanted.filter((constant) => typeof constant === 'object');
  // Each once: a list may repeat them a thousand times, and a condition for each took ClickHouse 10 s to plan.
  const booleans = new Set(wanted.filter((constant) => typeof constant === 'boolean'));
  const conditions = [...booleans].map((boolean) => value.isBoolean(boolean));
  if (strings.length > 0) conditions.push(isOneOfStrings(params, value, strings));
  if (numbers.length > 0) conditions.push(isOneOfNumbers(value, numbers));
  return anyOf(conditions);
}

function isOneOfStrings(params: Params, value: ValueSql, wanted: readonly string[]): string {
  const [only = '', ...others] = wanted;
  const isWanted = others.length === 0 ? `= ${params.string(only)}` : `IN ${params.strings(wanted)}`;
  return orFalse(`${value.string()} ${isWanted}`);
}

function isOneOfNumbers(value: ValueSql, wanted: readonly NumberConstant[]): string {
  const [only, ...others] = wanted;
  return only && others.length === 0 ? value.isNumber('=', only) : value.isOneOf(wanted);
}

/** A string with this in it, or a list with this among its members. */
function contains(params: Params, value: ValueSql, wanted: Constant): string {
  if (typeof wanted === 'boolean') return value.hasBoolean(wanted);
  if (typeof wanted === 'object') return value.hasNumber(wanted);
  const within = orFalse(`position(${value.string()}, ${params.string(wanted)}) > 0`);
  return anyOf([within, value.hasString(wanted)]);
}

/** Strings by code point. */
function comparisonSql(
  params: Params,
  value: ValueSql,
  { test, value: bound }: Extract<Test, { test: Comparison }>,
): string {
  const comparison = OPERATOR_SQL[test];
  if (typeof bound === 'object') return value.isNumber(comparison, bound);
  return orFalse(`${value.string()} ${comparison} ${params.string(bound)}`);
}
