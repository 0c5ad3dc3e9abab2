/** A trait, or a property of an event, with the operators that its value must pass. */
import { isList, isObject, type Json, type JsonObject } from '../../../api/json.ts';
import { constantPieces, convert, numberPiece } from './constant-pieces.ts';
import { dateAdditions, datePieces, dateWith, isAnniversary } from './date-pieces.ts';
import { type Edit, type Path, withRenamed } from '../json-edit.ts';
import {
  isConstant,
  keysOf,
  type KnownName,
  nameOf,
  strangeTypes,
  type Suggested,
  type Surroundings,
  testsOf,
} from '../known.ts';
import { type Addition, jsonPiece, listPieces, type Option, optionsOf, type Piece } from './phrase.ts';
import { removal, word } from './phrase.ts';

/** In the order in which they are offered. */
const OPERATORS: Readonly<Record<string, string>> = {
  is: 'is',
  is_not: 'is not',
  in: 'is one of',
  'not in': 'is none of',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  'not contains': 'does not contain',
  starts_with: 'begins with',
  'not starts_with': 'does not begin with',
  ends_with: 'ends with',
  'not ends_with': 'does not end with',
  matches: 'matches',
  'not matches': 'does not match',
  date: 'is a date',
  'date anniversary': 'has its anniversary',
  has: 'has an object',
  'not has': 'has no object',
  'exists true': 'has a value',
  'exists false': 'has no value',
};

const NAMES = Object.keys(OPERATORS).map(nameIn);
const ORDERED = ['gt', 'gte', 'lt', 'lte'];
/** Those of numbers alone, as measures have them. */
export const COMPARISONS = ['is', 'is_not', ...ORDERED];
const TEXTS = ['starts_with', 'ends_with', 'matches'];
/** Those that have a word for their opposite, which is the condition within a `not`. */
const WITH_OPPOSITE = ['in', 'contains', ...TEXTS, 'has'];
/** Those that letter case can be left out of, by what may stand beside them. */
const WITH_CASE = ['is', 'is_not', 'in', 'contains', ...TEXTS];
const CASE = 'ignore_case';
const CASES = optionsOf({ true: '(ignoring case)', false: '(minding case)' });

export interface MemberPlace extends Surroundings {
  readonly at: Path;
  readonly node: JsonObject;
  /** The member that has its name: `trait`, `property`, or a measure such as `sum`. */
  readonly kind: string;
  /** Whether numbers are compared with what the property's values come to. */
  readonly isMeasure?: boolean;
  /** The path of a trait's condition with its `not`; undefined where it cannot be negated. */
  readonly outer?: Path;
}

/** The operator in a key of `OPERATORS`. */
function nameIn(key: string): string {
  return key.replace(/^not /, '').split(' ')[0] ?? key;
}

function isOperator(name: string): boolean {
  return NAMES.includes(name);
}

/** Whether it has a place in the sentence: an operator, or what may stand beside some. */
export function isTest(name: string): boolean {
  return isOperator(name) || name === CASE;
}

/** Whether the `not` around it is in the word of its operator. */
export function isFolded(node: JsonObject): boolean {
  const [name, ...others] = Object.keys(node).filter(isOperator);
  return name !== undefined && others.length === 0 && WITH_OPPOSITE.includes(name);
}

export function memberPieces(place: MemberPlace): readonly Piece[] {
  const { at, node } = place;
  const tests = Object.keys(node).filter(isOperator);
  return [
    ...namePieces(place),
    ...tests.flatMap((name, index) => [
      ...(index === 0 ? [] : [word('and')]),
      ...testPieces(place, name),
      ...(tests.length < 2 ? [] : [testRemoval(place, name)]),
    ]),
    ...(Object.hasOwn(node, CASE) ? casePieces([...at, CASE], node[CASE] ?? null) : []),
  ];
}

function testRemoval({ at, node }: MemberPlace, name: string): Piece {
  const others = Object.entries(node).filter(([key]) => key !== name);
  return {
    kind: 'remove',
    label: `Remove “${OPERATORS[name] ?? 'exists'}”`,
    edit: { at, value: withoutIdleCase(Object.fromEntries(others)) },
  };
}

function casePieces(at: Path, value: Json): readonly Piece[] {
  const label = 'Letter case';
  const make = (text: string): Json => text === 'true';
  const piece: Piece =
    typeof value === 'boolean'
      ? { kind: 'choice', at, label, value: String(value), options: CASES, looks: 'quiet', make }
      : jsonPiece(at, value, label);
  return [piece, removal('Remove the letter case', at)];
}

/** Letter case has no meaning beside numbers and dates alone, and is refused there. */
function withoutIdleCase(node: JsonObject): JsonObject {
  const isIdle = !WITH_CASE.some((name) => Object.hasOwn(node, name));
  return isIdle ? Object.fromEntries(Object.entries(node).filter(([key]) => key !== CASE)) : node;
}

function namePieces(place: MemberPlace): readonly Piece[] {
  const { at, node, kind, event, lists } = place;
  const named = node[kind];
  const label = kind === 'trait' ? 'Trait' : 'Property';
  const suggested: Suggested = { of: 'names', event, lists };
  const choose = (known: KnownName): Edit => ({ at, value: renamed(place, known) });
  const keys = keysOf(named);
  if (keys === undefined) return [jsonPiece([...at, kind], named ?? null, label)];
  const make = (text: string): Json => text;
  if (typeof named === 'string') {
    return [{ kind: 'text', at: [...at, kind], label, value: named, suggested, choose, make }];
  }
  return keys.flatMap((value, index): readonly Piece[] => {
    const piece: Piece = { kind: 'text', at: [...at, kind, index], label, value, suggested, choose, make };
    return index === 0 ? [piece] : [word('→'), piece];
  });
}

/**
 * The condition on what was chosen from the catalog. Values that belonged to another name give way to one of its own,
 * and operators that ask for a type that it never has to others.
 */
function renamed({ node, kind, isMeasure = false }: MemberPlace, known: KnownName): JsonObject {
  const name = { [kind]: nameOf(known.path) };
  if (isMeasure) return { ...node, ...name };
  const tests = Object.fromEntries(Object.entries(node).filter(([key]) => isTest(key)));
  const usual = testsOf(known);
  const [operator = 'is', ...others] = Object.keys(tests).filter(isOperator);
  if (others.length === 0 && ['is', 'is_not', 'in'].includes(operator) && usual['is'] !== undefined) {
    return { ...name, ...tests, [operator]: operator === 'in' ? [usual['is']] : usual['is'] };
  }
  const fits = Object.keys(tests).length > 0 && strangeTypes(tests, known).length === 0;
  return { ...name, ...(fits ? tests : usual) };
}

function testPieces(place: MemberPlace, name: string): readonly Piece[] {
  const { at, node, event, lists } = place;
  const value = node[name] ?? null;
  const operator = operatorPiece(place, name, value);
  const label = 'Value';
  if (place.isMeasure === true) return [operator, numberPiece([...at, name], value, label)];
  const suggested: Suggested = { of: 'values', path: keysOf(node[place.kind]) ?? [], event, lists };
  const types = TEXTS.includes(name) ? 'text' : ORDERED.includes(name) ? 'ordered' : 'any';
  if (name === 'exists')
    return typeof value === 'boolean' ? [operator] : [operator, jsonPiece([...at, name], value, label)];
  if (name === 'date') return [operator, ...datePieces([...at, name], value)];
  if (name === 'has') return [operator, ...objectPieces(place, value)];
  if (name !== 'in') return [operator, ...constantPieces([...at, name], value, { label, suggested, types })];
  if (!isList(value)) return [operator, jsonPiece([...at, name], value, label)];
  const values = listPieces([...at, name], value, label, (path, member, numbered) =>
    constantPieces(path, member, { label: numbered, suggested }),
  );
  return [operator, ...values];
}

/** What one object of the list must have. */
function objectPieces({ at, node, kind, event, lists = [] }: MemberPlace, members: Json): readonly Piece[] {
  const place = [...at, 'has'];
  if (!isList(members)) return [jsonPiece(place, members, 'Objects')];
  const surroundings = { event, lists: [...lists, keysOf(node[kind]) ?? []] };
  const pieces = members.flatMap((member, index) => [
    ...(index === 0 ? [] : [word('and')]),
    word('whose'),
    ...conditionPieces([...place, index], member, 'property', surroundings),
    ...(members.length === 1 ? [] : [removal('Remove this about the object', [...place, index])]),
  ]);
  return [word('('), ...pieces, word(')')];
}

/** A property of an event or of an object, or a trait, and its operators; one line of JSON for what is nothing of the kind. */
export function conditionPieces(
  at: Path,
  member: Json,
  kind: 'property' | 'trait',
  surroundings: Surroundings,
): readonly Piece[] {
  const isKnown =
    isObject(member) && Object.hasOwn(member, kind) && Object.keys(member).every((key) => key === kind || isTest(key));
  if (!isKnown) return [jsonPiece(at, member, kind === 'trait' ? 'Trait' : 'Property')];
  return memberPieces({ at, node: member, kind, ...surroundings });
}

function operatorPiece({ at, node, outer, isMeasure = false }: MemberPlace, name: string, value: Json): Piece {
  const isNegated = outer !== undefined && outer.length < at.length;
  const canFold = outer !== undefined && Object.keys(node).filter(isOperator).length === 1;
  const folded = isNegated && isFolded(node);
  const taken = Object.keys(node).filter((key) => isOperator(key) && key !== name);
  const chosen = keyOf(name, value);
  const options: readonly Option[] = Object.entries(OPERATORS)
    .filter(([key]) => !isMeasure || COMPARISONS.includes(key))
    .filter(([key]) => (key.startsWith('not ') ? canFold : !taken.includes(nameIn(key))))
    .map(([key, text]) => ({ value: key, text }));
  return {
    kind: 'choice',
    label: 'Comparison',
    at: outer ?? at,
    value: folded ? `not ${chosen}` : chosen,
    options,
    make: (wanted) => {
      const plain = wanted.replace(/^not /, '');
      const withOther = (): JsonObject => withRenamed(node, name, nameIn(plain), valueFor(plain, name, value));
      const changed = plain === chosen ? node : withoutIdleCase(withOther());
      const isNot = wanted.startsWith('not ') || (isNegated && !folded);
      return isNot ? { not: changed } : changed;
    },
  };
}

/** A key of `OPERATORS` without its `not`. */
function keyOf(name: string, value: Json): string {
  if (name === 'exists') return `exists ${value === false ? 'false' : 'true'}`;
  return name === 'date' && isAnniversary(value) ? 'date anniversary' : name;
}

/** What the value of another operator, named `from`, becomes with this one. */
function valueFor(operator: string, from: string, value: Json): Json {
  if (nameIn(operator) === 'date') return dateWith(from, value, operator !== 'date');
  const constants = (isList(value) ? value : [value]).filter(isConstant);
  const single = constants[0] ?? '';
  if (operator.startsWith('exists')) return operator === 'exists true';
  if (operator === 'has') return [{ property: '', is: single }];
  if (operator === 'in') return constants.length === 0 ? [single] : constants;
  if (TEXTS.includes(operator)) return convert(single, 'text');
  return ORDERED.includes(operator) && typeof single === 'boolean' ? convert(single, 'number') : single;
}

/** A further operator on the same value, and a further value of a list. */
export function memberAdditions({ at, node, kind, isMeasure = false }: MemberPlace): readonly Addition[] {
  const tests = Object.keys(node).filter(isOperator);
  const name = keysOf(node[kind])?.join(' → ') ?? kind;
  const values = node['in'];
  const additions: Addition[] = [];
  if (isList(values)) {
    const value = [...values, values.at(-1) ?? ''];
    additions.push({ text: 'value', label: `Add a value of ${name}`, make: () => ({ at: [...at, 'in'], value }) });
  }
  additions.push(...dateAdditions(at, node['date'], name), ...objectAdditions(at, node['has'], name));
  if (!isMeasure && tests.some((test) => WITH_CASE.includes(test)) && !Object.hasOwn(node, CASE)) {
    const label = `Upper and lower case are the same in ${name}`;
    additions.push({ text: 'in any case', label, isRare: true, make: () => ({ at: [...at, CASE], value: true }) });
  }
  const other = otherTest(node, tests);
  if (other !== undefined) {
    const label = `Compare ${name} once more`;
    additions.push({ text: 'and', label, isRare: true, make: () => ({ at, value: { ...node, ...other } }) });
  }
  return additions;
}

function objectAdditions(at: Path, members: Json | undefined, name: string): readonly Addition[] {
  if (!isList(members)) return [];
  const place = [...at, 'has'];
  const make = () => ({ at: [...place, members.length], value: { property: '', is: '' } });
  const other: Addition = { text: 'and whose', label: `What else the object in ${name} must have`, make };
  return [other, ...propertiesAdditions(place, members)];
}

export function propertiesAdditions(at: Path, members: readonly Json[]): readonly Addition[] {
  return members.flatMap((node, index) =>
    isObject(node) ? memberAdditions({ at: [...at, index], node, kind: 'property' }) : [],
  );
}

/** What people add to a comparison: the other end of a range; where there is no operator at all, the first. */
function otherTest(node: JsonObject, tests: readonly string[]): JsonObject | undefined {
  if (tests.length === 0) return { is: '' };
  if (tests.length > 1 || tests[0] === undefined) return undefined;
  const value = node[tests[0]] ?? '';
  if (tests[0].startsWith('g')) return { lt: value };
  if (tests[0].startsWith('l')) return { gte: value };
  return undefined;
}
