/** Users who are in another saved audience, in a list of ids, or in a sample of all users. */
import { isList, isObject, type Json, type JsonObject, jsonText } from '../../../api/json.ts';
import { plural } from '../../../parts/numbers.ts';
import { type Path } from '../json-edit.ts';
import { numberPiece } from './constant-pieces.ts';
import { optionsOf, type Piece, type Wording, word } from './phrase.ts';

const VERBS = optionsOf({ in: 'are in', 'not in': 'are not in' });

/** Which of them a condition is; undefined where it has other members than those that have words. */
export function membershipIn(value: JsonObject): 'audience' | 'users' | 'sample' | undefined {
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
export function membershipWording(at: Path, node: JsonObject, outer: Path): Wording {
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
