import { pointerTo } from '../../messages/unacceptable.ts';
import { MAX_VALUES } from '../definition/limits.ts';
import { type Reading, isJsonObject } from '../definition/reading.ts';
import { folded, splitNumbers } from '../definition/value.ts';
import type { ValueLocation } from '../sql/stored-value.ts';
import {
  describeConstant,
  describeOptions,
  equals,
  isOneOf,
  readConstant,
  storedNumber,
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
    const values = test.values.slice(0, DESCRIBED).map(describeConstant);
    if (test.values.length > DESCRIBED) values.push(`${test.values.length - DESCRIBED} more`);
    const last = values.pop() ?? '';
    return `is one of ${values.length === 0 ? last : `${values.join(', ')} or ${last}`}${describeOptions(test)}`;
  },
  sql: ({ params }, value, test) => isOneOf(params, value, test.values, test),
  passes: (value, test, { location }) => isOneOfValues(value, test, location),
};

/** Values that a description names: people read it. */
const DESCRIBED = 20;

export const EXISTS: Operator<TestOf<'exists'>> = {
  read: (reading, value, path) =>
    typeof value === 'boolean' ? { test: 'exists', value } : reading.refuse(path, 'is neither true nor false'),
  describe: ({ value }) => (value ? 'is there' : 'is missing'),
  sql: (_scope, value, test) => (test.value ? value.exists() : `NOT (${value.exists()})`),
  passes: (value, test, { location }) => test.value === exists(value, location),
};

function readIn(reading: Reading, value: unknown, path: string): TestOf<'in'> | undefined {
  const members = reading.list(value, path, MAX_VALUES);
  if (!members || !reading.countValues(members.length, path)) return undefined;
  const values = members.map((member, index) => readConstant(reading, member, path + pointerTo([index])));
  return values.every((member) => member !== undefined) ? { test: 'in', values } : undefined;
}

/** The values of an `in`, by which those of 200,000 events of one user may be asked for. */
const VALUE_SETS = new WeakMap<TestOf<'in'>, ReturnType<typeof valueSetsOf>>();

function valueSetsOf(test: TestOf<'in'>) {
  const texts = test.values.filter((wanted) => typeof wanted === 'string').map((text) => folded(text, test));
  const { integers, others, doubles } = splitNumbers(test.values.filter((wanted) => typeof wanted === 'object'));
  return { texts: new Set(texts), integers: new Set(integers), others: new Set(others), doubles: new Set(doubles) };
}

function isOneOfValues(value: unknown, test: TestOf<'in'>, location: ValueLocation): boolean {
  if (typeof value === 'boolean') return test.values.includes(value);
  const sets = VALUE_SETS.get(test) ?? valueSetsOf(test);
  VALUE_SETS.set(test, sets);
  if (typeof value === 'string') return sets.texts.has(folded(value, test));
  const number = storedNumber(value, location);
  if (number === undefined) return false;
  if (number.integer === null) return sets.doubles.has(number.double);
  return sets.integers.has(number.integer) || sets.others.has(number.double);
}

function exists(value: unknown, location: ValueLocation): boolean {
  if (value === undefined || value === null) return false;
  if (location !== 'property' || !isJsonObject(value)) return true;
  return Object.values(value).some((member) => exists(member, location));
}
