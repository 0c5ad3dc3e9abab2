import type { Comparison } from '../definition/audience.ts';
import { OPERATOR_SQL, orFalse, type ValueSql } from '../definition/value.ts';
import type { Params } from '../sql/params.ts';
import { compareValues, describeConstant, readOrdered, testOf, warnOfDuration } from './constant.ts';
import type { Operator, TestOf } from './operator.ts';

export const GT = comparison('gt', 'is more than', (order) => order > 0);
export const GTE = comparison('gte', 'is at least', (order) => order >= 0);
export const LT = comparison('lt', 'is less than', (order) => order < 0);
export const LTE = comparison('lte', 'is at most', (order) => order <= 0);

function comparison(
  test: Comparison,
  words: string,
  isInOrder: (order: number) => boolean,
): Operator<TestOf<Comparison>> {
  return {
    read: (reading, value, path) => {
      warnOfDuration(reading, value, path, test === 'gt' || test === 'gte' ? 'last' : 'before');
      return testOf(test, readOrdered(reading, value, path));
    },
    describe: ({ value }) => `${words} ${describeConstant(value)}`,
    sql: ({ params }, value, asked) => comparisonSql(params, value, asked),
    passes: (value, asked, { location }) => {
      const order = compareValues(value, asked.value, location);
      return order !== undefined && isInOrder(order);
    },
  };
}

/** Strings by code point. */
function comparisonSql(params: Params, value: ValueSql, { test, value: bound }: TestOf<Comparison>): string {
  const sign = OPERATOR_SQL[test];
  if (typeof bound === 'object') return value.isNumber(sign, bound);
  return orFalse(`${value.string()} ${sign} ${params.string(bound)}`);
}
