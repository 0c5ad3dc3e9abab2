/** What the catalog knows of a project's data, as it is suggested. */
import { countOf, isList, isObject, type Json, type JsonObject, type RawNumber } from '../../api/json.ts';
import { numberOf } from './json-edit.ts';
import { jsonIn } from './json-text.ts';

/** A member of `GET /v1/catalog/events`, `…/properties` or `/v1/catalog/traits`. */
export interface CatalogName {
  readonly name: string;
  readonly count: RawNumber;
  readonly types?: readonly { readonly type: string }[];
  /** JSON texts, cut at 200 characters. */
  readonly examples?: readonly string[];
}

export interface KnownName {
  /** The key, or the keys from the outermost in. */
  readonly path: readonly string[];
  readonly count: number;
  /** `text`, `number`, …, the most frequent first; none of a member of an object or of an event. */
  readonly types: readonly string[];
  readonly examples: readonly Json[];
}

export interface Names {
  readonly names: readonly KnownName[];
  /** Whether these are all. */
  readonly isWhole: boolean;
}

/** What the catalog is asked for, to be suggested. */
export type Suggested =
  | { readonly of: 'events'; readonly orAny?: boolean }
  | ({ readonly of: 'names' } & Surroundings)
  /** The values of the trait or property that has this name. */
  | ({ readonly of: 'values'; readonly path: readonly string[] } & Surroundings);

/** Where a trait or a property is. */
export interface Surroundings {
  /** The event that has the property; undefined for traits. */
  readonly event?: string | undefined;
  /** The names of the lists whose objects have it, from the outermost in. */
  readonly lists?: readonly (readonly string[])[] | undefined;
}

/** The names, each followed by those within it that its examples have. */
export function knownNames(names: readonly CatalogName[]): readonly KnownName[] {
  return names.flatMap(({ name, count, types = [], examples = [] }) => {
    const values = examples.map(jsonIn).filter((value) => value !== undefined);
    const known = { path: [name], count: countOf(count), types: types.map(({ type }) => type), examples: values };
    return [known, ...within(known)];
  });
}

const MAX_DEPTH = 3;

function within({ path, count, examples }: KnownName): readonly KnownName[] {
  if (path.length >= MAX_DEPTH) return [];
  const objects = examples.filter(isObject);
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...names].flatMap((name) => {
    const values = objects.flatMap((object) => (Object.hasOwn(object, name) ? [object[name] ?? null] : []));
    const unique = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
    const types = [...new Set(unique.map(typeOf))];
    const known = { path: [...path, name], count, types, examples: unique };
    return [known, ...within(known)];
  });
}

/** Those of the traits, or of the properties of one event, that are suggested. */
export function suggestedAmong(
  names: readonly KnownName[],
  suggested: Exclude<Suggested, { of: 'events' }>,
): readonly KnownName[] {
  const inLists = (suggested.lists ?? []).reduce(namesInList, names);
  return suggested.of === 'names' ? inLists : inLists.filter(({ path }) => isSamePath(path, suggested.path));
}

/** The names in the objects of the list that has this name. */
function namesInList(names: readonly KnownName[], path: readonly string[]): readonly KnownName[] {
  const known = findKnown(names, path);
  return known === undefined ? [] : within({ ...known, path: [], examples: known.examples.filter(isList).flat() });
}

/** As the catalog names types. */
export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  if (isObject(value)) return 'object';
  if (typeof value === 'string') return 'text';
  return typeof value === 'boolean' ? 'boolean' : 'number';
}

export function findKnown(names: readonly KnownName[], path: readonly string[]): KnownName | undefined {
  return names.find((known) => isSamePath(known.path, path));
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, i) => key === other[i]);
}

/** The operators that a condition on this begins with: its first example, where there is one. */
export function testsOf({ types, examples }: Pick<KnownName, 'types' | 'examples'>): JsonObject {
  const example = examples.find((value) => value !== null && typeOf(value) === types[0]) ?? examples[0];
  if (isList(example)) {
    const [member] = example;
    if (isConstant(member)) return { contains: member };
    const [first] = within({ path: [], count: 0, types: [], examples: example });
    return first === undefined ? { exists: true } : { has: [{ property: nameOf(first.path), ...testsOf(first) }] };
  }
  if (isObject(example)) return { exists: true };
  if (types[0] === 'number') return { gte: isConstant(example) ? example : (numberOf('0') ?? '') };
  return { is: isConstant(example) ? example : '' };
}

export function isConstant(value: Json | undefined): value is string | boolean | RawNumber {
  return value !== undefined && ['text', 'number', 'boolean'].includes(typeOf(value));
}

/** How a definition names it: by its key, or by all keys. */
export function nameOf(path: readonly string[]): Json {
  const [key] = path;
  return path.length === 1 && key !== undefined ? key : path;
}

/** The keys of a name in a definition; undefined where it is not a name. */
export function keysOf(name: Json | undefined): readonly string[] | undefined {
  if (typeof name === 'string') return [name];
  return isList(name) && name.every((key) => typeof key === 'string') ? name : undefined;
}

/** The types of values that these operators ask for, and that the data never has. */
export function strangeTypes(tests: JsonObject, known: KnownName): readonly string[] {
  if (known.types.length === 0 || known.types.some((type) => ['array', 'object'].includes(type))) return [];
  const compared = Object.entries(tests).filter(([name]) => name !== 'exists' && name !== 'ignore_case');
  const constants = compared.flatMap(([name, value]) => (name === 'in' && isList(value) ? value : [value]));
  const types = new Set(constants.filter(isConstant).map(typeOf));
  return [...types].filter((type) => !known.types.includes(type));
}
