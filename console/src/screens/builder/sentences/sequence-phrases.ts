/** What the same user did after the event, or did not: the later event, where its properties, and how soon. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts';
import { type Path, withRenamed } from '../json-edit.ts';
import { eventPieces, nameAdditions, namesIn } from './event-names.ts';
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
  const isWhole = Object.hasOwn(later, 'event') && Object.hasOwn(later, 'within');
  if (!isWhole || Object.keys(later).some((name) => !['event', 'where', 'within'].includes(name))) return undefined;
  const which = Object.hasOwn(node, 'which') ? node['which'] : 'any';
  const kind = `${typeof which === 'string' ? which : ''} ${key}`;
  return SEQUENCE_KINDS.some(({ value }) => value === kind) ? { key, later, kind } : undefined;
}

export function sequencePhrases(at: Path, node: JsonObject, { key, later, kind }: Sequence): readonly Phrase[] {
  const path = [...at, key];
  const make = (wanted: string): Json => (wanted === kind ? node : changed(node, key, wanted));
  const choice: Piece = { kind: 'choice', at, label: 'What came after', value: kind, options: SEQUENCE_KINDS, make };
  const isGone = [key, 'which'];
  const value = Object.fromEntries(Object.entries(node).filter(([name]) => !isGone.includes(name)));
  return [
    ...clauseOf('sequence', [choice, ...eventPieces([...path, 'event'], later['event'] ?? null)]),
    ...(Object.hasOwn(later, 'where') ? wherePhrases([...path, 'where'], later['where'] ?? null, eventOf(later)) : []),
    {
      name: 'sequence within',
      pieces: [
        word('within'),
        ...durationPieces([...path, 'within'], later['within'] ?? null),
        { kind: 'remove', label: 'Remove what came after', edit: { at, value } },
      ],
    },
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

export function sequenceAdditions(at: Path, { key, later }: Sequence): readonly Addition[] {
  const path = [...at, key];
  const where = whereAdditions([...path, 'where'], later['where'], eventOf(later));
  const additions = [...nameAdditions([...path, 'event'], later['event'], 'Or another event'), ...where];
  return additions.map((addition) => ({ ...addition, label: `${addition.label}, after it`, isRare: true }));
}
