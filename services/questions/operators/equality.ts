import { pointerTo } from '../../messages/unacceptable.ts';
import { MAX_VALUES } from '../definition/limits.ts';
import { type Reading, isJsonObject } from '../definition/reading.ts';
import type { ValueLocation } from '../sql/stored-value.ts';
import {
  describeConstant,
  describeOptions,
  equals,
  isOneOf,
  readConstant,
  testOf,
  warnOfDuration,
} from './constant.ts';
import type { Operator, TestOf } from './operator.ts';

export const IS: Operator<TestOf<'is'>> = {
  read: (reading, value, path) => {
    warnOfDuration(reading, value, path, 'last');
    return testOf('is', readConstant(reading, value, path));
  },
  describe: (test) => `is ${describeConstant(test.value)}${describeOptions(test)}`,
  sql: ({ params }, value, test) => isOneOf(params, value, [test.value], test),
  passes: (value, test, { location }) => equals(value, test.value, location, test),
};

export const IS_NOT: Operator<TestOf<'is_not'>> = {
  read: (reading, value, path) => {
    warnOfDuration(reading, value, path, 'last');
    return testOf('is_not', readConstant(reading, value, path));
  },
  describe: (test) => `is not ${describeConstant(test.value)}${describeOptions(test)}`,
  sql: ({ params }, value, test) => `NOT ${isOneOf(params, value, [test.value], test)}`,
  passes: (value, test, { location }) => !equals(value, test.value, location, test),
};

export const IN: Operator<TestOf<'in'>> = {
  read: readIn,
  describe: (test) => {
    const values = test.values.map(describeConstant);
    const last = values.pop() ?? '';
    return `is one of ${values.length === 0 ? last : `${values.join(', ')} or ${last}`}${describeOptions(test)}`;
  },
  sql: ({ params }, value, test) => isOneOf(params, value, test.values, test),
  passes: (value, test, { location }) => test.values.some((wanted) => equals(value, wanted, location, test)),
};

export const EXISTS: Operator<TestOf<'exists'>> = {
  read: (reading, value, path) =>
    typeof value === 'boolean' ? { test: 'exists', value } : reading.refuse(path, 'is neither true nor false'),
  describe: ({ value }) => (value ? 'is there' : 'is missing'),
  sql: (_scope, value, test) => (test.value ? value.exists() : `NOT (${value.exists()})`),
  passes: (value, test, { location }) => test.value === exists(value, location),
};

function readIn(reading: Reading, value: unknown, path: string): TestOf<'in'> | undefined {
  const members = reading.list(value, path, MAX_VALUES);
  const values = members?.map((member, index) => readConstant(reading, member, path + pointerTo([index])));
  return values?.every((member) => member !== undefined) ? { test: 'in', values } : undefined;
}

function exists(value: unknown, location: ValueLocation): boolean {
  if (value === undefined || value === null) return false;
  if (location !== 'property' || !isJsonObject(value)) return true;
  return Object.values(value).some((member) => exists(member, location));
}
