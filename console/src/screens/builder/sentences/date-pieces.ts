/** A date that is compared with moving times: what follows “is a date” and “has its anniversary”. */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts';
import { type Path } from '../json-edit.ts';
import { durationPieces, lengthOf, periodPieces } from './period-pieces.ts';
import { type Addition, jsonPiece, optionsOf, type Piece, removal } from './phrase.ts';

const ANNIVERSARIES = optionsOf({ today: 'today', next: 'in the next' });
const EPOCHS = optionsOf({ seconds: '(seconds since 1970)', milliseconds: '(milliseconds since 1970)' });

export function isAnniversary(date: Json): boolean {
  return isObject(date) && Object.hasOwn(date, 'anniversary');
}

/**
 * The value of another operator as that of a date, or of one whose anniversary is asked for. Less than `90d` is before
 * that time.
 */
export function dateWith(operator: string, value: Json, hasAnniversary: boolean): JsonObject {
  const epoch = isObject(value) && Object.hasOwn(value, 'epoch') ? { epoch: value['epoch'] ?? null } : {};
  const key = operator.startsWith('lt') ? 'before' : 'last';
  const length = lengthOf(typeof value === 'string' ? value : '');
  return { ...(hasAnniversary ? { anniversary: 'today' } : { [key]: length }), ...epoch };
}

export function datePieces(at: Path, date: Json): readonly Piece[] {
  const keys = isObject(date) ? Object.keys(date).filter((key) => key !== 'epoch') : [];
  if (!isObject(date) || keys.length !== 1) return [jsonPiece(at, date, 'Date')];
  const isOfYear = isAnniversary(date);
  return [
    ...(isOfYear
      ? anniversaryPieces([...at, 'anniversary'], date['anniversary'] ?? null)
      : periodPieces(at, date, 'date')),
    ...(Object.hasOwn(date, 'epoch') ? epochPieces([...at, 'epoch'], date['epoch'] ?? null) : []),
  ];
}

function anniversaryPieces(at: Path, value: Json): readonly Piece[] {
  const [key, ...others] = isObject(value) ? Object.keys(value) : [];
  const next = isObject(value) && key === 'next' && others.length === 0 ? value['next'] : undefined;
  if (value !== 'today' && next === undefined) return [jsonPiece(at, value, 'Anniversary')];
  const kind = value === 'today' ? value : 'next';
  const make = (wanted: string): Json => {
    if (wanted === kind) return value;
    return wanted === 'today' ? wanted : { next: '7d' };
  };
  const choice: Piece = { kind: 'choice', at, label: 'Anniversary', value: kind, options: ANNIVERSARIES, make };
  return next === undefined ? [choice] : [choice, ...durationPieces([...at, 'next'], next)];
}

function epochPieces(at: Path, epoch: Json): readonly Piece[] {
  const label = 'What the number counts';
  const isKnown = typeof epoch === 'string' && EPOCHS.some(({ value }) => value === epoch);
  const piece: Piece = isKnown
    ? { kind: 'choice', at, label, value: epoch, options: EPOCHS, looks: 'quiet', make: (wanted) => wanted }
    : jsonPiece(at, epoch, label);
  return [piece, removal('Read dates, not numbers', at)];
}

/** For dates that are sent as numbers. */
export function dateAdditions(at: Path, date: Json | undefined, name: string): readonly Addition[] {
  if (!isObject(date) || Object.hasOwn(date, 'epoch')) return [];
  const make = () => ({ at: [...at, 'date', 'epoch'], value: 'seconds' });
  return [{ text: 'since 1970', label: `${name} is a number of seconds since 1970`, isRare: true, make }];
}
