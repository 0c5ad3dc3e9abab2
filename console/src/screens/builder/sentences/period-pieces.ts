/** A time, as controls: in the last 30 days, since a day, before an instant, between two. */
import type { Json } from '../../../api/json.ts';
import { isList, isObject, type Path } from '../json-edit.ts';
import { jsonPiece, optionsOf, type Piece, word } from './phrase.ts';

const KINDS = optionsOf({ last: 'in the last', since: 'since', before: 'before', between: 'between' });
const UNITS = optionsOf({ h: 'hours', d: 'days', w: 'weeks' });
const INSTANTS = optionsOf({ day: 'the day', moment: 'the local time', exact: 'the instant', ago: 'ago' });

const DURATION = /^(\d{1,6})([hdw])$/;

/** The controls of `{"last": "30d"}` and the like; one line of JSON for what is nothing of the kind. */
export function periodPieces(at: Path, period: Json): readonly Piece[] {
  const [kind, ...others] = isObject(period) ? Object.keys(period) : [];
  if (!isObject(period) || kind === undefined || others.length > 0 || !KINDS.some(({ value }) => value === kind)) {
    return [jsonPiece(at, period, 'Time')];
  }
  const value = period[kind] ?? null;
  const choice: Piece = {
    kind: 'choice',
    at,
    label: 'Time',
    value: kind,
    options: KINDS,
    make: (wanted) => (wanted === kind ? period : { [wanted]: valueFor(wanted, value) }),
  };
  const place = [...at, kind];
  if (kind === 'last') return [choice, ...durationPieces(place, value)];
  if (kind !== 'between') return [choice, ...instantPieces(place, value, 'Time')];
  if (!isList(value) || value.length !== 2) return [choice, jsonPiece(place, value, 'Times')];
  return [
    choice,
    ...instantPieces([...place, 0], value[0] ?? null, 'From'),
    word('and'),
    ...instantPieces([...place, 1], value[1] ?? null, 'To'),
  ];
}

/** The value of another kind of time, kept as far as it means something there. */
function valueFor(kind: string, value: Json): Json {
  const [first] = isList(value) ? value : [value];
  const text = typeof first === 'string' ? first : '30d';
  if (kind === 'last') return DURATION.test(text) ? text : '30d';
  if (kind !== 'between') return text;
  return [text, DURATION.test(text) ? endOf(text) : today()];
}

/** Half as long ago, but for the shortest. */
function endOf(duration: string): string {
  const [, count = '2', unit = 'd'] = DURATION.exec(duration) ?? [];
  return Number(count) > 1 ? `${Math.floor(Number(count) / 2)}${unit}` : today();
}

function durationPieces(at: Path, value: Json): readonly Piece[] {
  const [, count, unit] = (typeof value === 'string' && DURATION.exec(value)) || [];
  if (count === undefined || unit === undefined) return [jsonPiece(at, value, 'How long')];
  return [
    {
      kind: 'number',
      at,
      label: 'How many',
      value: count,
      make: (text) => (/^\d{1,6}$/.test(text) ? text + unit : undefined),
    },
    { kind: 'choice', at, label: 'Unit', value: unit, options: UNITS, make: (wanted) => count + wanted },
  ];
}

/** `day`, `moment`, `exact` or `ago`. */
function kindOf(value: string): string {
  if (DURATION.test(value)) return 'ago';
  const isDate = !Number.isNaN(Date.parse(`${value.slice(0, 16)}${value.length > 10 ? 'Z' : ''}`));
  if (isDate && /^\d{4}-\d\d-\d\d$/.test(value) && isCalendarDay(value)) return 'day';
  return isDate && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value) && isCalendarDay(value) ? 'moment' : 'exact';
}

/** `Date.parse` takes 30 February for 2 March in some engines; a field for dates shows neither. */
function isCalendarDay(value: string): boolean {
  const date = new Date(`${value.slice(0, 10)}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value.slice(0, 10));
}

function instantPieces(at: Path, value: Json, label: string): readonly Piece[] {
  if (typeof value !== 'string') return [jsonPiece(at, value, label)];
  const kind = kindOf(value);
  const choice: Piece = {
    kind: 'choice',
    at,
    label: `Kind of ${label.toLowerCase()}`,
    value: kind,
    options: INSTANTS,
    looks: 'quiet',
    make: (wanted) => (wanted === kind ? value : instantAs(wanted, value)),
  };
  if (kind === 'ago') return [...durationPieces(at, value), choice];
  const make = (text: string): Json | undefined => (text === '' ? undefined : text);
  if (kind === 'day') return [choice, { kind: 'date', at, label, value, make }];
  if (kind === 'moment') return [choice, { kind: 'moment', at, label, value, make }];
  return [choice, { kind: 'text', at, label, value, make: (text) => text }];
}

function instantAs(kind: string, value: string): string {
  const day = isCalendarDay(value) ? value.slice(0, 10) : today();
  if (kind === 'ago') return '30d';
  if (kind === 'day') return day;
  const time = /T(\d\d:\d\d)/.exec(value)?.[1] ?? '00:00';
  return kind === 'moment' ? `${day}T${time}` : `${day}T${time}:00Z`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
