/** What is allowed and finds nobody, as far as the catalog can tell. */
import { isList, isObject, type JsonObject, jsonText } from '../../api/json.ts';
import { type Edit, type Path } from './json-edit.ts';
import { findKnown, isConstant, keysOf, type KnownName, type Names, strangeTypes, typeOf } from './known.ts';
import { convert } from './sentences/constant-pieces.ts';
import { namesIn } from './sentences/event-names.ts';
import type { TreeNode } from './tree.ts';

interface Lookup {
  readonly events: Names | undefined;
  readonly traits: Names | undefined;
  readonly properties: (event: string) => Names | undefined;
}

interface Hint {
  readonly text: string;
  /** What makes it right. */
  readonly fix?: { readonly text: string; readonly edit: Edit };
}

export function hintsOf({ kind, value, inner }: TreeNode, known: Lookup): readonly Hint[] {
  if (!isObject(value)) return [];
  if (kind === 'trait') return memberHints(inner, value, 'trait', known.traits, 'No user has the trait');
  if (kind !== 'event') return [];
  const later = ['followed_by', 'not_followed_by'].map((key) => [[...inner, key], value[key]] as const);
  return [[inner, value] as const, ...later].flatMap(([at, one]) => (isObject(one) ? eventHints(at, one, known) : []));
}

function eventHints(at: Path, { event, where }: JsonObject, known: Lookup): readonly Hint[] {
  const { events } = known;
  if (events === undefined) return [];
  const strange = namesIn(event).filter((name) => name !== '' && findKnown(events.names, [name]) === undefined);
  if (strange.length > 0)
    return events.isWhole ? strange.map((name) => ({ text: `No event is called “${name}” so far.` })) : [];
  if (typeof event !== 'string' || event === '' || !isList(where)) return [];
  const properties = known.properties(event);
  const absent = `${event} has no property`;
  return where.flatMap((member, i) =>
    isObject(member) ? memberHints([...at, 'where', i], member, 'property', properties, absent) : [],
  );
}

function memberHints(
  at: Path,
  member: JsonObject,
  kind: 'trait' | 'property',
  names: Names | undefined,
  absent: string,
): readonly Hint[] {
  const path = keysOf(member[kind]);
  const [first] = path ?? [];
  if (names === undefined || path === undefined || first === undefined || first === '') return [];
  const isKnown = findKnown(names.names, [first]) !== undefined;
  if (!isKnown) return names.isWhole ? [{ text: `${absent} “${first}” so far.` }] : [];
  const found = findKnown(names.names, path);
  if (found === undefined) return [];
  const { [kind]: _, ...tests } = member;
  const [strange] = strangeTypes(tests, found);
  return strange === undefined ? [] : [typeHint(at, tests, strange, found)];
}

const KINDS: Readonly<Record<string, string>> = { text: 'text', number: 'numbers', boolean: 'true or false' };
const ONE: Readonly<Record<string, string>> = { number: 'a number', boolean: 'true or false' };
const FIXES: Readonly<Record<string, string>> = { text: 'Make it text', number: 'Make it a number' };

/** A value of a type that the data never has: nothing is converted. */
function typeHint(at: Path, tests: JsonObject, strange: string, { path, types }: KnownName): Hint {
  const kinds = types.filter((type) => type !== 'null');
  const [operator, value] = Object.entries(tests).find(([, one]) => isConstant(one) && typeOf(one) === strange) ?? [];
  const subject = `${value === undefined ? 'One of the values' : jsonText(value)} is ${ONE[strange] ?? strange}`;
  const text = `${subject}, but ${path.join(' → ')} holds ${kinds.map((type) => KINDS[type] ?? type).join(' or ')}: nobody matches.`;
  const [type = ''] = kinds;
  const fix = kinds.length === 1 ? FIXES[type] : undefined;
  if (fix === undefined || value === undefined || operator === undefined) return { text };
  return { text, fix: { text: fix, edit: { at: [...at, operator], value: convert(value, type) } } };
}
