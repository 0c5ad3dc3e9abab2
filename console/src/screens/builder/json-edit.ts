/** Places in a JSON value, and values with one place changed. Nothing is changed in place; numbers keep their digits. */
import { isList, isObject, type Json, type JsonObject, jsonText, parseJson, type RawNumber } from '../../api/json.ts';

/** The keys and indexes from the outermost in. */
export type Path = readonly (string | number)[];

/** What stands at a place afterwards; undefined takes it out. */
export interface Edit {
  readonly at: Path;
  readonly value: Json | undefined;
}

export function valueAt(root: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => {
    if (isList(value)) return typeof key === 'number' ? value[key] : undefined;
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, root);
}

/** The place that a pointer names in this document; without one, an index is a text. */
export function pathTo(root: Json | undefined, pointer: string): Path {
  const path: (string | number)[] = [];
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(isList(valueAt(root, path)) ? Number(name) : name);
  }
  return path;
}

/** The root with the edit. A place whose parent is not there changes nothing. */
export function applyEdit(root: Json | undefined, { at, value }: Edit): Json | undefined {
  const [key, ...rest] = at;
  if (key === undefined) return value;
  if (isList(root)) {
    if (typeof key !== 'number' || key > root.length) return root;
    const member = applyEdit(root[key], { at: rest, value });
    return member === undefined ? root.toSpliced(key, 1) : root.toSpliced(key, 1, member);
  }
  if (!isObject(root)) return root;
  const member = applyEdit(Object.hasOwn(root, key) ? root[key] : undefined, { at: rest, value });
  if (member === undefined) return Object.fromEntries(Object.entries(root).filter(([name]) => name !== String(key)));
  return withMember(root, String(key), member);
}

/** The list at a place with a member put in before this index. */
export function insertAt(root: Json | undefined, list: Path, index: number, member: Json): Json | undefined {
  const present = valueAt(root, list);
  return isList(present) ? applyEdit(root, { at: list, value: present.toSpliced(index, 0, member) }) : root;
}

/** The object with one member of another name and value, in the same place. */
export function withRenamed(object: JsonObject, from: string, to: string, value: Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map((entry) => (entry[0] === from ? [to, value] : entry)));
}

function withMember(object: JsonObject, name: string, value: Json): JsonObject {
  // Not a spread with a computed name: `__proto__` is a name like any other here.
  const others = Object.entries(object);
  const isThere = Object.hasOwn(object, name);
  return Object.fromEntries(
    isThere ? others.map((entry) => (entry[0] === name ? [name, value] : entry)) : [...others, [name, value]],
  );
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The text as a number of JSON; undefined where it is not a number. */
export function numberOf(text: string): RawNumber | undefined {
  return NUMBER.test(text) ? (parseJson(text) as RawNumber) : undefined;
}

/** Whether both are the same text. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return (a === undefined ? '' : jsonText(a)) === (b === undefined ? '' : jsonText(b));
}

/** An RFC 6901 pointer. */
export function pointerOf(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
