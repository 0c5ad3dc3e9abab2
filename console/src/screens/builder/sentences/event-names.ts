/** The events that a condition counts: one name, several of which any counts, or any event at all. */
import { isList, isObject, type Json } from '../../../api/json.ts';
import { type Path } from '../json-edit.ts';
import { type Addition, jsonPiece, listPieces, type Piece } from './phrase.ts';
import type { KnownName, Suggested } from '../known.ts';

const EVENTS: Suggested = { of: 'events' };

/** None of any event, and of what is no name. */
export function namesIn(event: Json | undefined): readonly string[] {
  if (typeof event === 'string') return [event];
  return isList(event) && event.every((name) => typeof name === 'string') ? event : [];
}

/** Whether it is `{"any": true}`. */
export function isAnyEvent(event: Json | undefined): boolean {
  return isObject(event) && event['any'] === true && Object.keys(event).length === 1;
}

const ANYTHING = 'anything';

/** The same, where “anything” is one of the choices. */
export function laterEventPieces(at: Path, event: Json): readonly Piece[] {
  if (!isAnyEvent(event) && typeof event !== 'string') return eventPieces(at, event);
  const make = (text: string): Json => (text === ANYTHING ? { any: true } : text);
  const choose = ({ path: [name] }: KnownName) => ({ at, value: name ?? { any: true } });
  const value = typeof event === 'string' ? event : ANYTHING;
  return [{ kind: 'text', at, label: 'Event', value, suggested: { of: 'events', orAny: true }, make, choose }];
}

export function eventPieces(at: Path, event: Json): readonly Piece[] {
  if (typeof event === 'string') return [namePiece(at, event, 'Event')];
  if (!isList(event) || namesIn(event).length === 0) return [jsonPiece(at, event, 'Event')];
  return listPieces(at, event, 'Event', (path, name, label) =>
    typeof name === 'string' ? [namePiece(path, name, label)] : [],
  );
}

function namePiece(at: Path, value: string, label: string): Piece {
  return { kind: 'text', at, label, value, suggested: EVENTS, make: (text) => text };
}

/** The most frequent event that is not one of these. */
export function otherEvent(names: readonly string[], events: readonly string[]): string {
  return events.find((name) => !names.includes(name)) ?? '';
}

export function nameAdditions(at: Path, event: Json | undefined, label: string): readonly Addition[] {
  const names = namesIn(event);
  if (names.length === 0) return [];
  return [{ text: 'or', label, make: (_, events) => ({ at, value: [...names, otherEvent(names, events)] }) }];
}
