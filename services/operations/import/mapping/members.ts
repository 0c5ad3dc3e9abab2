/** Members of parsed JSON by their paths. Pure. */
import { isObject } from '../../../messages/sdk/sdk-call.ts';

export type RecordMembers = Record<string, unknown>;

/**
 * Takes the member at a path out of a record: `properties.time`, `items.0.id`. A member whose name has dots in it is found
 * as it is. What stands in a list is not taken out.
 */
export function take(record: unknown, path: string): unknown {
  const found = find(record, path);
  if (found === undefined) return undefined;
  const value = found.members[found.name];
  if (!Array.isArray(found.members)) delete found.members[found.name];
  return value;
}

/** Whether there is something to take. */
export function has(record: unknown, path: string): boolean {
  return find(record, path) !== undefined;
}

function find(record: unknown, path: string): { readonly members: RecordMembers; readonly name: string } | undefined {
  if (!isObject(record) && !Array.isArray(record)) return undefined;
  const members = record as RecordMembers;
  if (Object.hasOwn(members, path)) return { members, name: path };
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const first = path.slice(0, dot);
    if (Object.hasOwn(members, first)) return find(members[first], path.slice(dot + 1));
  }
  return undefined;
}

/** Puts a value into a call; objects at the same place become one. The place where something else is; undefined where none is. */
export function put(call: RecordMembers, path: readonly string[], value: unknown): readonly string[] | undefined {
  const [first = '', ...rest] = path;
  const there = Object.hasOwn(call, first) ? call[first] : undefined;
  if (rest.length > 0) {
    if (there === undefined) setOwn(call, first, {});
    const inner = call[first];
    const conflict = isObject(inner) ? put(inner, rest, value) : [];
    return conflict && [first, ...conflict];
  }
  if (there === undefined) setOwn(call, first, value);
  else if (!isObject(there) || !isObject(value)) return path;
  else return merge(there, first, value);
  return undefined;
}

function merge(there: RecordMembers, name: string, value: Readonly<RecordMembers>): readonly string[] | undefined {
  for (const [key, member] of Object.entries(value)) {
    const conflict = put(there, [key], member);
    if (conflict !== undefined) return [name, ...conflict];
  }
  return undefined;
}

/** `__proto__` is a key like any other. */
function setOwn(members: RecordMembers, key: string, value: unknown): void {
  Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
}
