/** What a user did: the event, where its properties, how often, and when. */
import type { Json } from '../../../api/json.ts';
import { isObject, type JsonObject, numberOf, type Path } from '../json-edit.ts';
import { periodPieces } from './period-pieces.ts';
import {
  type Addition,
  jsonPiece,
  optionsOf,
  type Phrase,
  type Piece,
  type Suggested,
  unknownPhrase,
  type Wording,
  word,
} from './phrase.ts';
import { whereAdditions, wherePhrases } from './where-phrases.ts';

const VERBS = optionsOf({ did: 'did', not: 'did not do' });
const COUNTS = optionsOf({ at_least: 'at least', at_most: 'at most', exactly: 'exactly', range: 'between' });
const TIMES = { within: '', first: 'with the first of them', last: 'with the last of them' } as const;
const EVENTS: Suggested = { of: 'events' };

/** @param outer The place with the `not` around it, where there is one. */
export function eventWording(at: Path, node: JsonObject, outer: Path): Wording {
  const { event } = node;
  const name = typeof event === 'string' ? event : '';
  const known = ['event', 'where', 'count', ...Object.keys(TIMES)];
  const has = (key: string): boolean => Object.hasOwn(node, key);
  return {
    phrases: [
      { name: 'event', pieces: [verbPiece(at, node, outer), eventPiece([...at, 'event'], event)] },
      ...(has('where') ? wherePhrases([...at, 'where'], node['where'] ?? null, name) : []),
      ...(has('count') ? [countPhrase([...at, 'count'], node['count'] ?? null)] : []),
      ...(Object.keys(TIMES) as (keyof typeof TIMES)[])
        .filter(has)
        .map((key) => timePhrase(at, key, node[key] ?? null)),
      ...Object.entries(node).flatMap(([key, value]) => (known.includes(key) ? [] : [unknownPhrase(at, key, value)])),
    ],
    additions: [...whereAdditions([...at, 'where'], node['where'], name), ...additionsTo(at, has)],
  };
}

function verbPiece(at: Path, node: JsonObject, outer: Path): Piece {
  const value = outer.length < at.length ? 'not' : 'did';
  const make = (wanted: string): Json => (wanted === 'not' ? { not: node } : node);
  return { kind: 'choice', at: outer, label: 'Did or not', value, options: VERBS, make };
}

function eventPiece(at: Path, event: Json | undefined): Piece {
  if (typeof event !== 'string') return jsonPiece(at, event ?? null, 'Event');
  return { kind: 'text', at, label: 'Event', value: event, suggested: EVENTS, make: (text) => text };
}

function countPhrase(at: Path, count: Json): Phrase {
  const remove: Piece = { kind: 'remove', label: 'Remove how often', edit: { at, value: undefined } };
  return { name: 'count', pieces: [...countPieces(at, count), remove] };
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
  const end = second === undefined ? [] : [word('and'), timesPiece([...at, second], count[second] ?? null, 'At most')];
  return [
    { kind: 'choice', at, label: 'How often', value: kind, options: COUNTS, make },
    timesPiece([...at, first], value, 'Number of times'),
    ...end,
    word('times'),
  ];
}

function timesPiece(at: Path, value: Json, label: string): Piece {
  const text = JSON.stringify(value);
  if (numberOf(text) === undefined) return jsonPiece(at, value, label);
  return { kind: 'number', at, label, value: text, make: numberOf };
}

function timePhrase(at: Path, key: keyof typeof TIMES, period: Json): Phrase {
  const place = [...at, key];
  const remove: Piece = { kind: 'remove', label: 'Remove the time', edit: { at: place, value: undefined } };
  const start = TIMES[key] === '' ? [] : [word(TIMES[key])];
  return { name: key, pieces: [...start, ...periodPieces(place, period), remove] };
}

function additionsTo(at: Path, has: (key: string) => boolean): readonly Addition[] {
  const offered: readonly (readonly [string, string, string, Json])[] = [
    ['count', 'how often', 'How many times', { at_least: numberOf('2') ?? '' }],
    ['within', 'when', 'Only events of a certain time', { last: '30d' }],
    ['first', 'first time', 'When the first of these events was', { last: '30d' }],
    ['last', 'last time', 'When the last of these events was', { before: '7d' }],
  ];
  return offered
    .filter(([key]) => !has(key))
    .map(([key, text, label, value]) => {
      const isRare = key === 'first' || key === 'last';
      return { text, label, isRare, make: () => ({ at: [...at, key], value }) };
    });
}
