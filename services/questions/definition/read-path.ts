import { MAX_PATH_KEYS } from './limits.ts';
import type { Reading } from './reading.ts';

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
