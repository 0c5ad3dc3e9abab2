import { pointerTo } from '../../messages/unacceptable.ts';
import { type Constant, type Member, type NumberConstant, numberConstant, type Test } from './audience.ts';
import { MAX_PATH_KEYS, MAX_VALUES } from './limits.ts';
import type { Reading } from './reading.ts';

/** In the order in which they are tried. */
export const OPERATORS = [
  'is',
  'is_not',
  'in',
  'exists',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'starts_with',
] as const satisfies readonly Test['test'][];
type Operator = (typeof OPERATORS)[number];

/** A member, named by `name` (`trait` or `property`), and the operators beside it, which must all hold. */
export function readMember(
  reading: Reading,
  name: string,
  node: Record<string, unknown>,
  path: string,
): Member | undefined {
  reading.onlyKeys(node, [name, ...OPERATORS], path);
  const keys = readPath(reading, node[name], `${path}/${name}`);
  const given = OPERATORS.filter((operator) => Object.hasOwn(node, operator));
  if (given.length === 0) return reading.refuse(path, `needs one of ${OPERATORS.join(', ')}`);
  const tests = given.map((operator) => readTest(reading, operator, node[operator], `${path}/${operator}`));
  return keys && tests.every((test) => test !== undefined) ? { path: keys, tests } : undefined;
}

/** A key, or a list of them from the outermost in. */
export function readPath(reading: Reading, value: unknown, path: string): readonly string[] | undefined {
  if (typeof value === 'string') {
    const key = reading.text(value, path);
    return key === undefined ? undefined : [key];
  }
  if (!Array.isArray(value)) return reading.refuse(path, 'is neither a key nor a list of keys');
  const keys = reading.list(value, path, MAX_PATH_KEYS)?.map((key, index) => reading.text(key, `${path}/${index}`));
  return keys?.every((key) => key !== undefined) ? keys : undefined;
}

function readTest(reading: Reading, test: Operator, value: unknown, path: string): Test | undefined {
  switch (test) {
    case 'exists':
      return typeof value === 'boolean' ? { test, value } : reading.refuse(path, 'is neither true nor false');
    case 'in':
      return readIn(reading, value, path);
    case 'starts_with':
      return testOf(test, reading.text(value, path));
    case 'is':
    case 'is_not':
    case 'contains':
      return testOf(test, readConstant(reading, value, path));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      break;
  }
  return testOf(test, readOrdered(reading, value, path));
}

function testOf<T extends string, V>(test: T, value: V | undefined): { test: T; value: V } | undefined {
  return value === undefined ? undefined : { test, value };
}

function readIn(reading: Reading, value: unknown, path: string): Test | undefined {
  const members = reading.list(value, path, MAX_VALUES);
  const values = members?.map((member, index) => readConstant(reading, member, path + pointerTo([index])));
  return values?.every((member) => member !== undefined) ? { test: 'in', values } : undefined;
}

function readConstant(reading: Reading, value: unknown, path: string): Constant | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return reading.text(value, path);
  if (value === null) return reading.refuse(path, 'is null, which no value is: ask whether it exists');
  return numberConstant(value) ?? reading.refuse(path, 'is neither a string, a number, true nor false');
}

function readOrdered(reading: Reading, value: unknown, path: string): string | NumberConstant | undefined {
  if (typeof value === 'string') return reading.text(value, path);
  return numberConstant(value) ?? reading.refuse(path, 'is neither a number nor a string');
}
