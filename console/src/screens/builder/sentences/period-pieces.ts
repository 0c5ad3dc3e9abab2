/** A time, as controls: in the last 30 days, since a day, before an instant, between two. */
import { isList, isObject, type Json } from '../../../api/json.ts';
import { type Path, withRenamed } from '../json-edit.ts';
import { jsonPiece, optionsOf, type Piece, word } from './phrase.ts';

const POINTS = { since: 'since', before: 'before', between: 'between' };
const PERIOD_KINDS = {
  events: optionsOf({ last: 'in the last', ...POINTS }),
  date: optionsOf({ last: 'in the last', next: 'in the next', ...POINTS }),
};
const DURATION_UNITS = optionsOf({ h: 'hours', d: 'days', w: 'weeks' });
const PAST = { day: 'the day', moment: 'the local time', exact: 'the instant', ago: 'ago' };
const INSTANTS = { events: optionsOf(PAST), date: optionsOf({ ...PAST, ahead: 'from now' }) };

const DURATION = /^(\d{1,6})([hdw])$/;
const AHEAD = /^\+\d{1,6}[hdw]$/;

/** What lies in the time: events do not lie ahead, and dates have a member `epoch` beside it. */
type Timed = keyof typeof PERIOD_KINDS;

/** The controls of `{"last": "30d"}` and the like; one line of JSON for what is nothing of the kind. */
export function periodPieces(at: Path, period: Json, of: Timed = 'events'): readonly Piece[] {
  const keys = isObject(period) ? Object.keys(period) : [];
  const [kind, ...others] = keys.filter((key) => of === 'events' || key !== 'epoch');
  const options = PERIOD_KINDS[of];
  if (!isObject(period) || kind === undefined || others.length > 0 || !options.some(({ value }) => value === kind)) {
    return [jsonPiece(at, period, 'Time')];
  }
  const value = period[kind] ?? null;
  const choice: Piece = {
    kind: 'choice',
    at,
    label: 'Time',
    value: kind,
    options,
    make: (wanted) => (wanted === kind ? period : withRenamed(period, kind, wanted, valueFor(wanted, kind, value))),
  };
  const place = [...at, kind];
  if (kind === 'last' || kind === 'next') return [choice, ...durationPieces(place, value)];
  if (kind !== 'between') return [choice, ...instantPieces(place, value, 'Time', of)];
  if (!isList(value) || value.length !== 2) return [choice, jsonPiece(place, value, 'Times')];
  return [
    choice,
    ...instantPieces([...place, 0], value[0] ?? null, 'From', of),
    word('and'),
    ...instantPieces([...place, 1], value[1] ?? null, 'To', of),
  ];
}

/** The value of another kind of time, kept as far as it means something there. */
function valueFor(wanted: string, kind: string, value: Json): Json {
  const [first] = isList(value) ? value : [value];
  const given = typeof first === 'string' ? first : '30d';
  const text = kind === 'next' && DURATION.test(given) ? `+${given}` : given;
  if (wanted === 'last' || wanted === 'next') return lengthOf(text);
  if (wanted !== 'between') return text;
  if (AHEAD.test(text)) return [today(), text];
  return [text, DURATION.test(text) ? endOf(text) : today()];
}

/** The duration of an instant that lies this long ago or ahead; 30 days of others. */
export function lengthOf(instant: string): string {
  const length = instant.replace('+', '');
  return DURATION.test(length) ? length : '30d';
}

/** Half as long ago, but for the shortest. */
function endOf(duration: string): string {
  const [, count = '2', unit = 'd'] = DURATION.exec(duration) ?? [];
  return Number(count) > 1 ? `${Math.floor(Number(count) / 2)}${unit}` : today();
}

/** @param sign What stands before it: a plus, where it is an instant ahead. */
export function durationPieces(at: Path, value: Json, sign = ''): readonly Piece[] {
  const [, count, unit] = (typeof value === 'string' && DURATION.exec(value.slice(sign.length))) || [];
  if (count === undefined || unit === undefined) return [jsonPiece(at, value, 'How long')];
  return [
    {
      kind: 'number',
      at,
      label: 'How many',
      value: count,
      make: (text) => (/^\d{1,6}$/.test(text) ? sign + text + unit : undefined),
    },
    {
      kind: 'choice',
      at,
      label: 'Unit',
      value: unit,
      options: DURATION_UNITS,
      make: (wanted) => sign + count + wanted,
    },
  ];
}

/** A key of `INSTANTS`. */
function kindOf(value: string, of: Timed): string {
  if (DURATION.test(value)) return 'ago';
  if (of === 'date' && AHEAD.test(value)) return 'ahead';
  const isDate = !Number.isNaN(Date.parse(`${value.slice(0, 16)}${value.length > 10 ? 'Z' : ''}`));
  if (isDate && /^\d{4}-\d\d-\d\d$/.test(value) && isCalendarDay(value)) return 'day';
  return isDate && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value) && isCalendarDay(value) ? 'moment' : 'exact';
}

/** `Date.parse` takes 30 February for 2 March in some engines; a field for dates shows neither. */
function isCalendarDay(value: string): boolean {
  const date = new Date(`${value.slice(0, 10)}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value.slice(0, 10));
}

function instantPieces(at: Path, value: Json, label: string, of: Timed): readonly Piece[] {
  if (typeof value !== 'string') return [jsonPiece(at, value, label)];
  const kind = kindOf(value, of);
  const choice: Piece = {
    kind: 'choice',
    at,
    label: `Kind of ${label.toLowerCase()}`,
    value: kind,
    options: INSTANTS[of],
    looks: 'quiet',
    make: (wanted) => (wanted === kind ? value : instantAs(wanted, value)),
  };
  if (kind === 'ago') return [...durationPieces(at, value), choice];
  if (kind === 'ahead') return [...durationPieces(at, value, '+'), choice];
  const make = (text: string): Json | undefined => (text === '' ? undefined : text);
  if (kind === 'day') return [choice, { kind: 'date', at, label, value, make }];
  if (kind === 'moment') return [choice, { kind: 'moment', at, label, value, make }];
  return [choice, { kind: 'text', at, label, value, make: (text) => text }];
}

function instantAs(kind: string, value: string): string {
  const day = isCalendarDay(value) ? value.slice(0, 10) : today();
  if (kind === 'ago') return lengthOf(value);
  if (kind === 'ahead') return `+${lengthOf(value)}`;
  if (kind === 'day') return day;
  const time = /T(\d\d:\d\d)/.exec(value)?.[1] ?? '00:00';
  return kind === 'moment' ? `${day}T${time}` : `${day}T${time}:00Z`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
