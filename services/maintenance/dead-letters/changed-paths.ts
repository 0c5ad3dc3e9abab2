import { isObject } from '../../messages/sdk-call.ts';

/**
 * Where two JSON values differ, as JSON pointers, without what is there: of objects the members that do, of anything else the
 * value as a whole. Pure.
 */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => {
      const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return changedPaths(memberOf(before, name), memberOf(after, name), at);
    });
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [path];
}

function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
