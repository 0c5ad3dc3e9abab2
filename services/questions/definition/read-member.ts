import { TEST_KEYS, readTests } from '../operators/operators.ts';
import type { Member } from './audience.ts';
import { MAX_PATH_KEYS } from './limits.ts';
import type { Reading } from './reading.ts';

/** A member, named by `name` (`trait` or `property`), and the operators beside it, which must all hold. */
export function readMember(
  reading: Reading,
  name: string,
  node: Record<string, unknown>,
  path: string,
): Member | undefined {
  reading.onlyKeys(node, [name, ...TEST_KEYS], path);
  const keys = readPath(reading, node[name], `${path}/${name}`);
  const tests = readTests(reading, node, path);
  return keys && tests ? { path: keys, tests } : undefined;
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
