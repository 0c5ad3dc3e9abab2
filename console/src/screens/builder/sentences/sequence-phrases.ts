/** What the same user did after the event, or did not: the later events, where their properties, and how soon. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts';
import { type Edit, type Path, withRenamed } from '../json-edit.ts';
import { laterEventPieces, nameAdditions, namesIn, otherEvent } from './event-names.ts';
import { durationPieces } from './period-pieces.ts';
import { type Addition, clauseOf, optionsOf, type Phrase, type Piece, word } from './phrase.ts';
import { whereAdditions, wherePhrases } from './where-phrases.ts';

/** Which of the events, and the member that has the later one. */
const SEQUENCE_KINDS = optionsOf({
  'any followed_by': 'followed by',
  'any not_followed_by': 'not followed by',
  'first followed_by': 'the first of them followed by',
  'first not_followed_by': 'the first of them not followed by',
  'last followed_by': 'the last of them followed by',
  'last not_followed_by': 'the last of them not followed by',
});

export const SEQUENCES = ['followed_by', 'not_followed_by'];
export const MOST_STEPS = 5;

interface Sequence {
  readonly key: string;
  readonly later: JsonObject;
  readonly kind: string;
}

/** Undefined without one, and of one with other members than those that have words. */
export function sequenceIn(node: JsonObject): Sequence | undefined {
  const [key, other] = SEQUENCES.filter((name) => Object.hasOwn(node, name));
  const later = key === undefined ? undefined : node[key];
  if (key === undefined || other !== undefined || !isObject(later)) return undefined;
  if (!isLater(later, key === 'followed_by')) return undefined;
  const which = Object.hasOwn(node, 'which') ? node['which'] : 'any';
  const kind = `${typeof which === 'string' ? which : ''} ${key}`;
  return SEQUENCE_KINDS.some(({ value }) => value === kind) ? { key, later, kind } : undefined;
}

function isLater(later: Json | undefined, mayGoOn: boolean): boolean {
  if (!isObject(later) || !Object.hasOwn(later, 'event') || !Object.hasOwn(later, 'within')) return false;
  const { followed_by: next, ...step } = later;
  const isKnown = Object.keys(step).every((name) => ['event', 'where', 'within'].includes(name));
  return isKnown && (next === undefined || (mayGoOn && isLater(next, true)));
}

export function sequencePhrases(at: Path, node: JsonObject, { key, later, kind }: Sequence): readonly Phrase[] {
  const make = (wanted: string): Json => (wanted === kind ? node : changed(node, key, wanted));
  // What is not followed has no more after it.
  const isLong = Object.hasOwn(later, 'followed_by');
  const options = isLong ? SEQUENCE_KINDS.filter(({ value }) => !value.includes('not')) : SEQUENCE_KINDS;
  const choice: Piece = { kind: 'choice', at, label: 'What came after', value: kind, options, make };
  const path = [...at, key];
  const isGone = [key, 'which'];
  const value = Object.fromEntries(Object.entries(node).filter(([name]) => !isGone.includes(name)));
  // What came then takes its place.
  const gone = isLong ? { at: path, value: later['followed_by'] } : { at, value };
  return laterPhrases(path, later, choice, gone);
}

/** @param gone What takes the later event out. */
function laterPhrases(path: Path, later: JsonObject, start: Piece, gone: Edit): readonly Phrase[] {
  const next = later['followed_by'];
  const after = [...path, 'followed_by'];
  return [
    ...clauseOf(`sequence ${path.length}`, [start, ...laterEventPieces([...path, 'event'], later['event'] ?? null)]),
    ...(Object.hasOwn(later, 'where') ? wherePhrases([...path, 'where'], later['where'] ?? null, eventOf(later)) : []),
    {
      name: `sequence within ${path.length}`,
      pieces: [
        word('within'),
        ...durationPieces([...path, 'within'], later['within'] ?? null),
        { kind: 'remove', label: 'Remove what came after', edit: gone },
      ],
    },
    ...(isObject(next) ? laterPhrases(after, next, word('then by'), { at: after, value: next['followed_by'] }) : []),
  ];
}

function changed(node: JsonObject, key: string, wanted: string): Json {
  const [which = '', name = key] = wanted.split(' ');
  const renamed = withRenamed(node, key, name, node[key] ?? null);
  if (which !== 'any') return { ...renamed, which };
  return Object.fromEntries(Object.entries(renamed).filter(([member]) => member !== 'which'));
}

/** Whose properties are suggested. */
function eventOf({ event }: JsonObject): string {
  return namesIn(event)[0] ?? '';
}

export function sequenceAdditions(at: Path, node: JsonObject, { key }: Sequence): readonly Addition[] {
  const steps = stepsFrom([...at, key], node[key]);
  const ofSteps = steps.flatMap(([path, later]) => {
    const where = whereAdditions([...path, 'where'], later['where'], eventOf(later));
    const additions = [...nameAdditions([...path, 'event'], later['event'], 'Or another event'), ...where];
    const then = path.length - at.length === 1 ? 'after it' : `after it, step ${path.length - at.length + 1}`;
    return additions.map((addition) => ({ ...addition, label: `${addition.label}, ${then}`, isRare: true }));
  });
  const [last] = steps.at(-1) ?? [];
  if (key !== 'followed_by' || last === undefined || steps.length + 1 >= MOST_STEPS) return ofSteps;
  const names = [node, ...steps.map(([, later]) => later)].flatMap(({ event }) => namesIn(event));
  return [nextStep([...last, 'followed_by'], names), ...ofSteps];
}

/** Adds an event behind the last one. @param names Those that are there already. */
export function nextStep(at: Path, names: readonly string[]): Addition {
  const make: Addition['make'] = (_, events) => ({ at, value: laterEvent(names, events) });
  return { text: 'then', label: 'What they did after that', make };
}

/** What is offered as a later event: another one, within a week. */
export function laterEvent(names: readonly string[], events: readonly string[]): JsonObject {
  return { event: otherEvent(names, events), within: '7d' };
}

/** The later events with their places, one after the other. */
export function stepsFrom(at: Path, later: Json | undefined): readonly (readonly [Path, JsonObject])[] {
  return isObject(later) ? [[at, later], ...stepsFrom([...at, 'followed_by'], later['followed_by'])] : [];
}
