/** What is allowed and finds nobody, as far as the catalog can tell. */
import { isList, isObject, type JsonObject } from './json-edit.ts';
import { findKnown, keysOf, type Names, strangeTypes } from './known.ts';
import { namesIn } from './sentences/event-names.ts';
import type { TreeNode } from './tree.ts';

export interface Lookup {
  readonly events: Names | undefined;
  readonly traits: Names | undefined;
  readonly properties: (event: string) => Names | undefined;
}

export function hintsOf({ kind, value }: TreeNode, known: Lookup): readonly string[] {
  if (!isObject(value)) return [];
  if (kind === 'trait') return memberHints(value, 'trait', known.traits, 'No user has the trait');
  if (kind !== 'event') return [];
  return [value, value['followed_by'], value['not_followed_by']]
    .filter(isObject)
    .flatMap((one) => eventHints(one, known));
}

function eventHints({ event, where }: JsonObject, known: Lookup): readonly string[] {
  const { events } = known;
  if (events === undefined) return [];
  const strange = namesIn(event).filter((name) => name !== '' && findKnown(events.names, [name]) === undefined);
  if (strange.length > 0) return events.isWhole ? strange.map((name) => `No event is called “${name}” so far.`) : [];
  if (typeof event !== 'string' || event === '' || !isList(where)) return [];
  const properties = known.properties(event);
  return where.flatMap((member) =>
    isObject(member) ? memberHints(member, 'property', properties, `${event} has no property`) : [],
  );
}

function memberHints(
  member: JsonObject,
  kind: 'trait' | 'property',
  names: Names | undefined,
  absent: string,
): readonly string[] {
  const path = keysOf(member[kind]);
  const [first] = path ?? [];
  if (names === undefined || path === undefined || first === undefined || first === '') return [];
  const isKnown = findKnown(names.names, [first]) !== undefined;
  if (!isKnown) return names.isWhole ? [`${absent} “${first}” so far.`] : [];
  const found = findKnown(names.names, path);
  if (found === undefined) return [];
  const { [kind]: _, ...tests } = member;
  const strange = strangeTypes(tests, found);
  if (strange.length === 0) return [];
  const types = found.types.filter((type) => type !== 'null').join(' or ');
  return [
    `In the data, ${path.join(' → ')} is ${types}, and nothing is converted: no ${strange.join(' or ')} is equal to it.`,
  ];
}
