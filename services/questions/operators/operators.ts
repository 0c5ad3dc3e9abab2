/** The operators of traits and properties. A new one needs a kind of `Test`, and a line here. */
import type { Test } from '../definition/audience.ts';
import type { Reading } from '../definition/reading.ts';
import type { ValueSql } from '../definition/value.ts';
import type { Scope } from '../sql/params.ts';
import { EXISTS, IN, IS, IS_NOT } from './equality.ts';
import type { Operator, TestedAt } from './operator.ts';
import { GT, GTE, LT, LTE } from './order.ts';
import { CONTAINS, STARTS_WITH } from './text.ts';

type OperatorName = Test['test'];

/** In the order in which they are tried. */
const OPERATORS: Readonly<Record<OperatorName, Operator<Test>>> = {
  is: IS,
  is_not: IS_NOT,
  in: IN,
  exists: EXISTS,
  gt: GT,
  gte: GTE,
  lt: LT,
  lte: LTE,
  contains: CONTAINS,
  starts_with: STARTS_WITH,
};

export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly OperatorName[];

/** The operators beside a member; undefined after it has refused one, or that there is none. */
export function readTests(
  reading: Reading,
  node: Readonly<Record<string, unknown>>,
  path: string,
): readonly Test[] | undefined {
  const given = OPERATOR_NAMES.filter((name) => Object.hasOwn(node, name));
  if (given.length === 0) return reading.refuse(path, `needs one of ${OPERATOR_NAMES.join(', ')}`);
  const tests = given.map((name) => OPERATORS[name].read(reading, node[name], `${path}/${name}`));
  return tests.every((test) => test !== undefined) ? tests : undefined;
}

export function describeTests(tests: readonly Test[]): string {
  return tests.map((test) => OPERATORS[test.test].describe(test)).join(' and ');
}

/** The condition that a value passes every one of these tests. Never NULL. */
export function testsSql(scope: Scope, value: ValueSql, tests: readonly Test[]): string {
  return tests.map((test) => OPERATORS[test.test].sql(scope, value, test)).join(' AND ');
}

/** The same of a value in memory. */
export function passesAll(value: unknown, tests: readonly Test[], at: TestedAt): boolean {
  return tests.every((test) => OPERATORS[test.test].passes(value, test, at));
}
