/** A trait, or a property of an event, with the operators that its value must pass. */
import type { Json } from '../../../api/json.ts';
import { constantPieces, convert } from './constant-pieces.ts';
import { type Edit, isList, isSame, type JsonObject, type Path, withRenamed } from '../json-edit.ts';
import { isConstant, keysOf, type KnownName, nameOf, strangeTypes, testsOf } from '../known.ts';
import { type Addition, jsonPiece, type Option, type Piece, type Suggested, word } from './phrase.ts';

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
  starts_with: 'starts with',
  'not starts_with': 'does not start with',
  'exists true': 'has a value',
  'exists false': 'has no value',
};

const NAMES = ['is', 'is_not', 'in', 'exists', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts_with'];
const ORDERED = ['gt', 'gte', 'lt', 'lte'];
/** Those that have a word for their opposite, which is the condition within a `not`. */
const WITH_OPPOSITE = ['in', 'contains', 'starts_with'];
/** Values of one list that have controls. */
const MAX_SHOWN = 20;

export interface MemberPlace {
  readonly at: Path;
  readonly node: JsonObject;
  readonly kind: 'trait' | 'property';
  /** The event that has the property. */
  readonly event?: string;
  /** The path of a trait's condition with its `not`; undefined where it cannot be negated. */
  readonly outer?: Path;
}

export function isOperator(name: string): boolean {
  return NAMES.includes(name);
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
      ...(tests.length < 2 ? [] : [removal(`Remove “${wordOf(name)}”`, [...at, name])]),
    ]),
  ];
}

function removal(label: string, at: Path): Piece {
  return { kind: 'remove', label, edit: { at, value: undefined } };
}

function wordOf(name: string): string {
  return OPERATORS[name] ?? 'exists';
}

function namePieces(place: MemberPlace): readonly Piece[] {
  const { at, node, kind, event } = place;
  const named = node[kind];
  const label = kind === 'trait' ? 'Trait' : 'Property';
  const suggested: Suggested = kind === 'trait' ? { of: 'traits' } : { of: 'properties', event: event ?? '' };
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
function renamed({ node, kind }: MemberPlace, known: KnownName): JsonObject {
  const name = { [kind]: nameOf(known.path) };
  const tests = Object.fromEntries(Object.entries(node).filter(([key]) => isOperator(key)));
  const usual = testsOf(known);
  const [operator = 'is', ...others] = Object.keys(tests);
  if (isSame(node[kind], name[kind])) return node;
  if (others.length === 0 && ['is', 'is_not', 'in'].includes(operator) && usual['is'] !== undefined) {
    return { ...name, [operator]: operator === 'in' ? [usual['is']] : usual['is'] };
  }
  const fits = Object.keys(tests).length > 0 && strangeTypes(tests, known).length === 0;
  return { ...name, ...(fits ? tests : usual) };
}

function testPieces(place: MemberPlace, name: string): readonly Piece[] {
  const { at, node, event } = place;
  const value = node[name] ?? null;
  const operator = operatorPiece(place, name, value);
  const label = 'Value';
  const suggested: Suggested = { of: 'values', path: keysOf(node[place.kind]) ?? [], event };
  const types = name === 'starts_with' ? 'text' : ORDERED.includes(name) ? 'ordered' : 'any';
  if (name === 'exists')
    return typeof value === 'boolean' ? [operator] : [operator, jsonPiece([...at, name], value, label)];
  if (name !== 'in') return [operator, ...constantPieces([...at, name], value, { label, suggested, types })];
  if (!isList(value)) return [operator, jsonPiece([...at, name], value, label)];
  const shown = value.slice(0, MAX_SHOWN).flatMap((member, index): readonly Piece[] => {
    const place = [...at, name, index];
    return [
      ...(index === 0 ? [] : [word('or')]),
      ...constantPieces(place, member, { label: `Value ${index + 1}`, suggested }),
      ...(value.length === 1 ? [] : [removal(`Remove value ${index + 1}`, place)]),
    ];
  });
  const rest = value.length - MAX_SHOWN;
  return [operator, ...shown, ...(rest > 0 ? [word(`or ${rest} more, which are in the JSON`)] : [])];
}

function operatorPiece({ at, node, outer }: MemberPlace, name: string, value: Json): Piece {
  const isNegated = outer !== undefined && outer.length < at.length;
  const canFold = outer !== undefined && Object.keys(node).filter(isOperator).length === 1;
  const folded = isNegated && isFolded(node);
  const taken = Object.keys(node).filter((key) => isOperator(key) && key !== name);
  const chosen = name === 'exists' ? `exists ${value === false ? 'false' : 'true'}` : name;
  const options: readonly Option[] = Object.entries(OPERATORS)
    .filter(([key]) => (key.startsWith('not ') ? canFold : !taken.includes(key.split(' ')[0] ?? '')))
    .map(([key, text]) => ({ value: key, text }));
  return {
    kind: 'choice',
    label: 'Comparison',
    at: outer ?? at,
    value: folded ? `not ${chosen}` : chosen,
    options,
    make: (wanted) => {
      const plain = wanted.replace(/^not /, '');
      const [operator = 'is'] = plain.split(' ');
      const changed = plain === chosen ? node : withRenamed(node, name, operator, valueFor(plain, value));
      const isNot = wanted.startsWith('not ') || (isNegated && !folded);
      return isNot ? { not: changed } : changed;
    },
  };
}

/** What the value of another operator becomes with this one. */
function valueFor(operator: string, value: Json): Json {
  const constants = (isList(value) ? value : [value]).filter(isConstant);
  const single = constants[0] ?? '';
  if (operator.startsWith('exists')) return operator === 'exists true';
  if (operator === 'in') return constants.length === 0 ? [single] : constants;
  if (operator === 'starts_with') return convert(single, 'text');
  return ORDERED.includes(operator) && typeof single === 'boolean' ? convert(single, 'number') : single;
}

/** A further operator on the same value, and a further value of a list. */
export function memberAdditions({ at, node, kind }: MemberPlace): readonly Addition[] {
  const tests = Object.keys(node).filter(isOperator);
  const name = keysOf(node[kind])?.join(' → ') ?? kind;
  const values = node['in'];
  const additions: Addition[] = [];
  if (isList(values)) {
    const value = [...values, values.at(-1) ?? ''];
    additions.push({ text: 'value', label: `Add a value of ${name}`, make: () => ({ at: [...at, 'in'], value }) });
  }
  const other = otherTest(node, tests);
  if (other !== undefined) {
    const label = `Compare ${name} once more`;
    additions.push({ text: 'and', label, isRare: true, make: () => ({ at, value: { ...node, ...other } }) });
  }
  return additions;
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
