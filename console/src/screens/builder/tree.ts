/** A definition as a tree of conditions and groups, and the sentence of each. */
import { isList, isObject, type Json, type JsonObject, jsonText } from '../../api/json.ts';
import { grouped, plural } from '../../parts/numbers.ts';
import { eventWording } from './sentences/event-phrases.ts';
import { type Path, pointerOf } from './json-edit.ts';
import { isFolded, isTest, memberAdditions, memberPieces, type MemberPlace } from './sentences/member-phrase.ts';
import {
  type AudienceNames,
  jsonPiece,
  optionsOf,
  phrasesOf,
  type Piece,
  readOut,
  unknownPhrase,
  word,
  type Wording,
} from './sentences/phrase.ts';
import { numberPiece } from './sentences/constant-pieces.ts';

export interface TreeNode {
  /** With the `not` around it, where there is one. */
  readonly at: Path;
  /** Without it. */
  readonly inner: Path;
  readonly isNegated: boolean;
  /** `not` is one around another `not`, or around what has no sentence; `other` is such a thing. */
  readonly kind: 'group' | 'event' | 'trait' | 'audience' | 'users' | 'sample' | 'not' | 'other';
  /** Groups have it. */
  readonly joinedBy?: 'all' | 'any';
  readonly value: Json;
  /** The conditions of a group or of a `not`. */
  readonly parts: readonly TreeNode[];
}

export function treeOf(value: Json, at: Path = []): TreeNode {
  const plain = { at, inner: at, isNegated: false, value, parts: [] };
  if (!isObject(value)) return { ...plain, kind: 'other' };
  const [key, ...others] = Object.keys(value);
  const of = key === undefined ? undefined : value[key];
  if (others.length === 0 && (key === 'all' || key === 'any') && isList(of)) {
    return { ...plain, kind: 'group', joinedBy: key, parts: of.map((part, i) => treeOf(part, [...at, key, i])) };
  }
  if (others.length === 0 && key === 'not' && of !== undefined) {
    const inner = treeOf(of, [...at, 'not']);
    const isSimple = !inner.isNegated && inner.kind !== 'not' && inner.kind !== 'other';
    return isSimple ? { ...inner, at, isNegated: true } : { ...plain, kind: 'not', parts: [inner] };
  }
  return { ...plain, kind: kindOf(value) };
}

function kindOf(value: JsonObject): TreeNode['kind'] {
  if (Object.hasOwn(value, 'event')) return 'event';
  return Object.hasOwn(value, 'trait') ? 'trait' : (membershipIn(value) ?? 'other');
}

/** The phrases of one condition; a group has none. */
export function wordingOf(node: TreeNode): Wording {
  const { at, inner, value } = node;
  if (node.kind === 'event' && isObject(value)) return eventWording(inner, value, at);
  if (node.kind === 'trait' && isObject(value)) return traitWording(node, value);
  if (node.kind !== 'other' && isObject(value)) return membershipWording(inner, value, at);
  return { phrases: [{ name: 'json', pieces: [jsonPiece(inner, value, 'JSON')] }], additions: [] };
}

function traitWording({ at, inner, isNegated }: TreeNode, value: { readonly [name: string]: Json }): Wording {
  const place: MemberPlace = { at: inner, node: value, kind: 'trait', outer: at };
  const unknown = Object.entries(value).filter(([key]) => key !== 'trait' && !isTest(key));
  const isOutside = isNegated && !isFolded(value);
  const start: readonly Piece[] = [word(isOutside ? 'not: their' : 'their')];
  const pieces = [...start, ...memberPieces(place)];
  return {
    phrases: [...phrasesOf('trait', pieces), ...unknown.map(([key, member]) => unknownPhrase(inner, key, member))],
    additions: memberAdditions(place),
  };
}

/** A condition in words; a group by what joins its parts. An audience that has no name here is called by its id. */
export function sentenceOf(node: TreeNode, audiences: AudienceNames = new Map()): string {
  if (node.kind === 'group') return GROUPS[groupKind(node)] ?? '';
  if (node.kind === 'not') return 'none of this';
  const texts = wordingOf(node).phrases.map(
    ({ pieces, isClause = false }) => `${isClause ? ',' : ''} ${readOut(pieces, audiences)}`,
  );
  return texts.join('').trimStart();
}

export const GROUPS: Readonly<Record<string, string>> = {
  all: 'all of these',
  any: 'any of these',
  'not any': 'none of these',
  'not all': 'not all of these',
};

export function groupKind({ joinedBy = 'all', isNegated }: TreeNode): string {
  return isNegated ? `not ${joinedBy}` : joinedBy;
}

/** Whether each further condition of the group leaves fewer users; of the others it adds some. */
export function isNarrowing(root: TreeNode): boolean {
  return ['all', 'not any'].includes(groupKind(root));
}

/** The definition of a group. @param kind A key of `GROUPS`. */
export function groupOf(kind: string, parts: readonly Json[]): Json {
  const group = { [kind.replace('not ', '')]: parts };
  return kind.startsWith('not ') ? { not: group } : group;
}

/** What the service refuses, by its place in the definition (a pointer). */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
  /** What is most likely meant there. */
  readonly instead?: Json | undefined;
}

/** The service's words about its interface, as words about what stands here. */
export function problemText({ pointer, message }: Problem): string {
  const name = pointer.split('/').findLast((key) => !/^\d*$/.test(key)) ?? '';
  const subject = name === '' ? '' : `“${name.replaceAll('_', ' ')}”`;
  const [, least, most] = /^is not a whole number from (\d+) to (\d+)$/.exec(message) ?? [];
  if (least !== undefined && most !== undefined)
    return `${subject}: enter a whole number from ${grouped(least)} to ${grouped(most)}`;
  if (message === 'is at least more than at most') return '“at least” must not exceed “at most”';
  return `${subject} ${message}`.trim();
}

/** Each problem at the innermost condition that it is in: by the pointer of that condition. */
export function problemsByNode(
  root: TreeNode | undefined,
  problems: readonly Problem[],
): ReadonlyMap<string, readonly Problem[]> {
  const found = new Map<string, readonly Problem[]>();
  if (root === undefined) return found;
  for (const problem of problems) {
    const at = pointerOf(innermost(root, problem.pointer).at);
    found.set(at, [...(found.get(at) ?? []), problem]);
  }
  return found;
}

function innermost(node: TreeNode, pointer: string): TreeNode {
  const part = node.parts.find(({ at }) => `${pointer}/`.startsWith(`${pointerOf(at)}/`));
  return part === undefined ? node : innermost(part, pointer);
}

const VERBS = optionsOf({ in: 'are in', 'not in': 'are not in' });

/** Which of them a condition is; undefined where it has other members than those that have words. */
function membershipIn(value: JsonObject): 'audience' | 'users' | 'sample' | undefined {
  const [key, ...others] = Object.keys(value);
  if (others.length > 0) return undefined;
  if (key === 'audience') return typeof value['audience'] === 'string' ? key : undefined;
  if (key === 'users') return isList(value['users']) ? key : undefined;
  return key === 'sample' && seedOf(value['sample']) !== undefined ? key : undefined;
}

function seedOf(sample: Json | undefined): string | undefined {
  if (!isObject(sample) || !Object.hasOwn(sample, 'percent') || Object.keys(sample).length !== 2) return undefined;
  return typeof sample['seed'] === 'string' ? sample['seed'] : undefined;
}

/** @param outer The place with the `not` around it, where there is one. */
function membershipWording(at: Path, node: JsonObject, outer: Path): Wording {
  const value = outer.length < at.length ? 'not in' : 'in';
  const make = (wanted: string): Json => (wanted === 'in' ? node : { not: node });
  const verb: Piece = { kind: 'choice', at: outer, label: 'In or not', value, options: VERBS, make };
  const { users } = node;
  const pieces = isList(users)
    ? [word(listText(users))]
    : membershipIn(node) === 'audience'
      ? audiencePieces(at, node)
      : samplePieces([...at, 'sample'], node);
  return { phrases: [{ name: 'membership', pieces: [verb, ...pieces] }], additions: [] };
}

/** As many of its ids are named. */
const NAMED_IDS = 3;

function listText(ids: readonly Json[]): string {
  const named = ids.slice(0, NAMED_IDS).map((id) => (typeof id === 'string' ? id : jsonText(id)));
  const rest = ids.length > NAMED_IDS ? ', …' : '';
  return `a list of ${plural(ids.length, 'id')}${named.length > 0 ? `: ${named.join(', ')}` : ''}${rest}`;
}

function audiencePieces(at: Path, { audience }: JsonObject): readonly Piece[] {
  const value = typeof audience === 'string' ? audience : '';
  const make = (id: string): Json => id;
  return [word('the audience'), { kind: 'audience', at: [...at, 'audience'], label: 'Audience', value, make }];
}

function samplePieces(at: Path, { sample }: JsonObject): readonly Piece[] {
  const percent = isObject(sample) ? (sample['percent'] ?? null) : null;
  const make = (text: string): Json => text;
  return [
    word('the sample of'),
    numberPiece([...at, 'percent'], percent, 'Percent'),
    word('% by the seed'),
    word('“'),
    { kind: 'text', at: [...at, 'seed'], label: 'Seed', value: seedOf(sample) ?? '', make },
    word('”'),
  ];
}
