/** What the events come to together: the sum, the average and the like of a property, in numbers. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts';
import { type Path, withRenamed } from '../json-edit.ts';
import { COMPARISONS, memberAdditions, memberPieces, type MemberPlace } from './member-phrase.ts';
import { type Addition, clauseOf, jsonPiece, optionsOf, type Phrase, type Piece, removal } from './phrase.ts';

const MEASURES = optionsOf({
  sum: 'the sum of',
  average: 'the average of',
  min: 'the minimum of',
  max: 'the maximum of',
  distinct: 'the number of different values of',
});

export function measurePhrases(at: Path, measure: Json, event: string): readonly Phrase[] {
  return clauseOf('measure', [...measurePieces(at, measure, event), removal('Remove what they come to', at)]);
}

function measurePieces(at: Path, measure: Json, event: string): readonly Piece[] {
  const member = memberIn(at, measure, event);
  if (member === undefined) return [jsonPiece(at, measure, 'Measure')];
  const { kind, node } = member;
  const make = (wanted: string): Json => withRenamed(node, kind, wanted, node[kind] ?? null);
  return [{ kind: 'choice', at, label: 'Measure', value: kind, options: MEASURES, make }, ...memberPieces(member)];
}

/** The property and what it is compared with; undefined where there is more, or not as much. */
function memberIn(at: Path, measure: Json, event: string): MemberPlace | undefined {
  if (!isObject(measure)) return undefined;
  const [kind, other] = MEASURES.map(({ value }) => value).filter((name) => Object.hasOwn(measure, name));
  if (kind === undefined || other !== undefined) return undefined;
  const bounds = Object.keys(measure).filter((name) => name !== kind);
  const isKnown = bounds.length > 0 && bounds.every((name) => COMPARISONS.includes(name));
  return isKnown ? { at, node: measure, kind, event, isMeasure: true } : undefined;
}

export function measureAdditions(at: Path, { measure }: JsonObject): readonly Addition[] {
  const member = measure === undefined ? undefined : memberIn([...at, 'measure'], measure, '');
  return member === undefined ? [] : memberAdditions(member);
}
