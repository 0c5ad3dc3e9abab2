/** What a user did: the events, where their properties, how often, when, what came after, and what they come to. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts';
import { numberOf, type Path, withRenamed } from '../json-edit.ts';
import { type KnownName, nameOf } from '../known.ts';
import { numberPiece } from './constant-pieces.ts';
import { eventPieces, isAnyEvent, nameAdditions, namesIn } from './event-names.ts';
import { periodPieces } from './period-pieces.ts';
import {
  type Addition,
  clauseOf,
  jsonPiece,
  optionsOf,
  type Phrase,
  type Piece,
  removal,
  unknownPhrase,
  word,
  type Wording,
} from './phrase.ts';
import { laterEvent, sequenceAdditions, sequenceIn, sequencePhrases, SEQUENCES } from './sequence-phrases.ts';
import { whereAdditions, wherePhrases } from './where-phrases.ts';
import { COMPARISONS, memberAdditions, memberPieces, type MemberPlace } from './member-phrase.ts';

const VERBS = { did: 'did', not: 'did not do', 'did any': 'did anything', 'not any': 'did not do anything' };
/** “did not do” says nothing of what follows a comma. */
const LONG_VERBS = { ...VERBS, not: 'are not among those who did', 'not any': 'are not among those who did anything' };
const COUNTS = optionsOf({ at_least: 'at least', at_most: 'at most', exactly: 'exactly', range: 'between' });
/** Members that follow a comma. */
const CLAUSES = [...SEQUENCES, 'measure', 'first', 'last'];

/** @param outer The place with the `not` around it, where there is one. */
export function eventWording(at: Path, node: JsonObject, outer: Path): Wording {
  const { event } = node;
  const name = namesIn(event)[0] ?? '';
  const sequence = sequenceIn(node);
  const isFirstEver = sequence === undefined && !Object.hasOwn(node, 'within');
  const phrasesBy: Readonly<Record<string, (path: Path, value: Json) => readonly Phrase[]>> = {
    where: (path, value) => wherePhrases(path, value, name),
    count: (path, value) => [
      { name: 'count', pieces: [...countPieces(path, value), removal('Remove how often', path)] },
    ],
    within: (path, value) => [{ name: 'within', pieces: timePieces(path, value) }],
    ...(sequence !== undefined && { [sequence.key]: () => sequencePhrases(at, node, sequence) }),
    measure: (path, value) =>
      clauseOf('measure', [...measurePieces(path, value, name), removal('Remove what they come to', path)]),
    first: (path, value) =>
      clauseOf('first', [word(`the first time${isFirstEver ? ' ever' : ''}`), ...timePieces(path, value)]),
    last: (path, value) => clauseOf('last', [word('the last time'), ...timePieces(path, value)]),
  };
  const known = ['event', ...Object.keys(phrasesBy), ...(sequence === undefined ? [] : ['which'])];
  return {
    phrases: [
      {
        name: 'event',
        pieces: [
          verbPiece(at, node, outer),
          ...(isAnyEvent(event) ? [] : eventPieces([...at, 'event'], event ?? null)),
        ],
      },
      ...Object.entries(phrasesBy).flatMap(([key, phrasesOf]) =>
        Object.hasOwn(node, key) ? phrasesOf([...at, key], node[key] ?? null) : [],
      ),
      ...Object.entries(node).flatMap(([key, value]) => (known.includes(key) ? [] : [unknownPhrase(at, key, value)])),
    ],
    additions: [
      ...nameAdditions([...at, 'event'], event, 'Or another event'),
      ...whereAdditions([...at, 'where'], node['where'], name),
      ...additionsTo(at, node, name),
      ...(sequence === undefined ? [] : sequenceAdditions(at, node, sequence)),
      ...measureAdditions(at, node),
    ],
  };
}

function verbPiece(at: Path, node: JsonObject, outer: Path): Piece {
  const isAny = isAnyEvent(node['event']);
  const value = `${outer.length < at.length ? 'not' : 'did'}${isAny ? ' any' : ''}`;
  const isLong = CLAUSES.some((key) => Object.hasOwn(node, key));
  const make = (wanted: string): Json => {
    const wantsAny = wanted.endsWith(' any');
    const event = wantsAny ? { any: true } : '';
    const changed = wantsAny === isAny ? node : { ...node, event };
    return wanted.startsWith('not') ? { not: changed } : changed;
  };
  return {
    kind: 'choice',
    at: outer,
    label: 'Did or not',
    value,
    options: optionsOf(isLong ? LONG_VERBS : VERBS),
    make,
  };
}

function countPieces(at: Path, count: Json): readonly Piece[] {
  const keys = isObject(count) ? Object.keys(count) : [];
  const isRange = keys.length === 2 && keys.includes('at_least') && keys.includes('at_most');
  const kind = isRange ? 'range' : (keys[0] ?? '');
  if (!isObject(count) || (!isRange && keys.length !== 1) || !COUNTS.some(({ value }) => value === kind)) {
    return [jsonPiece(at, count, 'How often')];
  }
  const [first = '', second] = isRange ? ['at_least', 'at_most'] : keys;
  const value = count[first] ?? null;
  const make = (wanted: string): Json => {
    if (wanted === kind) return count;
    const times = numberOf(JSON.stringify(value)) ?? numberOf('1') ?? value;
    return wanted === 'range' ? { at_least: times, at_most: times } : { [wanted]: times };
  };
  const end = second === undefined ? [] : [word('and'), numberPiece([...at, second], count[second] ?? null, 'At most')];
  return [
    { kind: 'choice', at, label: 'How often', value: kind, options: COUNTS, make },
    numberPiece([...at, first], value, 'Number of times'),
    ...end,
    word('times'),
  ];
}

function timePieces(at: Path, period: Json): readonly Piece[] {
  return [...periodPieces(at, period), removal('Remove the time', at)];
}

/** A member that an event's condition may have. */
interface Offer {
  readonly key: string;
  readonly text: string;
  readonly label: string;
  /** Members beside which it has no place. */
  readonly without?: readonly string[];
  readonly isRare?: boolean;
  readonly value: (names: readonly string[], properties: readonly KnownName[], events: readonly string[]) => Json;
}

const later: Offer['value'] = (names, _, events) => laterEvent(names, events);

const OFFERS: readonly Offer[] = [
  {
    key: 'count',
    text: 'how often',
    label: 'How many times',
    without: ['which'],
    value: () => ({ at_least: numberOf('2') ?? '' }),
  },
  { key: 'within', text: 'when', label: 'Only events of a certain time', value: () => ({ last: '30d' }) },
  { key: 'followed_by', text: 'then', label: 'What they did after it', without: SEQUENCES, value: later },
  {
    key: 'not_followed_by',
    text: 'but not then',
    label: 'What they did not do after it',
    without: SEQUENCES,
    value: later,
  },
  {
    key: 'measure',
    text: 'total/average',
    label: 'The total, the average and the like of a property',
    without: ['which'],
    value: (_, properties) => ({ sum: numberIn(properties), gte: numberOf('100') ?? '' }),
  },
  {
    key: 'first',
    text: 'first time',
    label: 'When it was for the first time',
    value: () => ({ last: '30d' }),
  },
  {
    key: 'last',
    text: 'last time',
    label: 'When it was for the last time',
    isRare: true,
    value: () => ({ before: '7d' }),
  },
];

/** The name of the most frequent property that has numbers. */
function numberIn(properties: readonly KnownName[]): Json {
  const known = properties.find(({ types }) => types[0] === 'number');
  return known === undefined ? '' : nameOf(known.path);
}

function additionsTo(at: Path, node: JsonObject, event: string): readonly Addition[] {
  const names = namesIn(node['event']);
  const offered = OFFERS.filter(
    ({ key, without = [] }) => ![key, ...without].some((name) => Object.hasOwn(node, name)),
  );
  return offered.map(({ key, text, label, isRare = false, value }) => ({
    text,
    label,
    isRare,
    ...(key === 'measure' && { event }),
    make: (properties, events) => ({ at: [...at, key], value: value(names, properties, events) }),
  }));
}

const MEASURES = optionsOf({
  sum: 'the sum of',
  average: 'the average of',
  min: 'the minimum of',
  max: 'the maximum of',
  distinct: 'the number of different values of',
});

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

/** What the events come to together: the sum, the average and the like of a property, in numbers. */
function measureAdditions(at: Path, { measure }: JsonObject): readonly Addition[] {
  const member = measure === undefined ? undefined : memberIn([...at, 'measure'], measure, '');
  return member === undefined ? [] : memberAdditions(member);
}
