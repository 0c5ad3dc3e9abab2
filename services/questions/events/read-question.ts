/** Reads the bodies of questions about events (schemas/event-counts.json). Conditions are those of audiences. Pure. */
import type { Audience, Member, Period } from '../definition/audience.ts';
import { readNode } from '../definition/definition.ts';
import { readEventNames } from '../definition/read-event.ts';
import { readPath } from '../definition/read-path.ts';
import { readPeriod } from '../definition/read-period.ts';
import { type Consulted, isJsonObject, Reading } from '../definition/reading.ts';
import { parseBody } from '../../messages/json.ts';
import type { Problem } from '../../messages/message.ts';
import { isTimezone } from '../../messages/timestamp.ts';
import { readMembers } from '../operators/operators.ts';
import { CURSOR_REFUSED, decodePosition, type EventPosition } from './cursor.ts';
import type { Interval, Span } from './time-buckets.ts';

/** Which events a question is about. */
export interface EventFilter {
  /** Only events of these names; null for all. */
  readonly events: readonly string[] | null;
  readonly where: readonly Member[];
  readonly within: Period | null;
  /** Only events of these users; null for everybody's. */
  readonly users: Audience | null;
  /** Only events that came by themselves, in no import, and arrived in this time; left out: all. */
  readonly arrived?: Span;
}

export interface EventsQuestion extends EventFilter {
  readonly limit: number;
  readonly after: EventPosition | null;
  /** The traits of their users that are wanted, as the parameter `traits` spells them; null for none. */
  readonly traits: string | null;
}

export type Measure =
  | { readonly kind: 'count' | 'users' }
  | { readonly kind: 'sum' | 'average'; readonly of: readonly string[] }
  | { readonly kind: 'percentile'; readonly of: readonly string[]; readonly p: number };

/** By the value of a property or a trait, or by the name of the event: the `top` largest by themselves, the rest together. */
export type Split =
  | { readonly kind: 'property' | 'trait'; readonly path: readonly string[]; readonly top: number }
  | { readonly kind: 'event'; readonly top: number };

export interface CountsQuestion extends EventFilter {
  readonly measure: Measure;
  readonly interval: Interval | null;
  readonly timezone: string;
  readonly split: Split | null;
  readonly comparesPrevious: boolean;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;
const DEFAULT_TOP = 10;
const MAX_TOP = 50;
const FILTER_KEYS = ['event', 'where', 'within', 'users'];
const QUERY_KEYS = [...FILTER_KEYS, 'limit', 'cursor', 'traits'];
const COUNTS_KEYS = [...FILTER_KEYS, 'measure', 'of', 'p', 'interval', 'timezone', 'split', 'compare'];
const MEASURES = ['count', 'users', 'sum', 'average', 'percentile'] as const;
const INTERVALS = ['hour', 'day', 'week'] as const;

type Body = Readonly<Record<string, unknown>>;
/** A question as it was asked. */
export interface QuestionText extends Consulted {
  readonly text: string;
  readonly project: { readonly timezone: string };
}

export type QuestionOrProblems<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };
type ReadQuestion<T> = (reading: Reading, body: Body) => T | undefined;

/** Reads the body of `POST /v1/events/query`. */
export function readEventsQuestion(call: QuestionText): QuestionOrProblems<EventsQuestion> {
  return readQuestion(call, call.project.timezone, (reading, body) => {
    reading.onlyKeys(body, QUERY_KEYS, '');
    const filter = readEventFilter(reading, body);
    const limit = readIfPresent(body, 'limit', DEFAULT_LIMIT, (value) =>
      readWhole(reading, value, '/limit', [1, MAX_LIMIT]),
    );
    const after = readIfPresent(body, 'cursor', null, (value) => readPosition(reading, value));
    const traits = readIfPresent(body, 'traits', null, (value) =>
      typeof value === 'string' && value.length <= 8_192 ? value : reading.refuse('/traits', 'is no string up to 8192'),
    );
    if (!filter || limit === undefined || after === undefined || traits === undefined) return undefined;
    return { ...filter, limit, after, traits };
  });
}

/** Reads the body of `POST /v1/events/counts`. Dates without an offset are of the time zone of the question. */
export function readCountsQuestion(call: QuestionText): QuestionOrProblems<CountsQuestion> {
  const zone = timezoneIn(call.text) ?? call.project.timezone;
  return readQuestion(call, isTimezone(zone) ? zone : 'UTC', (reading, body) => {
    reading.onlyKeys(body, COUNTS_KEYS, '');
    const filter = readEventFilter(reading, body);
    const measure = readMeasure(reading, body);
    const interval = readIfPresent(body, 'interval', null, (value) => readWord(reading, value, '/interval', INTERVALS));
    const timezone = readIfPresent(body, 'timezone', zone, (value) => readTimezone(reading, value));
    const split = readIfPresent(body, 'split', null, (value) => readSplit(reading, value));
    const compare = readIfPresent(body, 'compare', null, (value) => readWord(reading, value, '/compare', ['previous']));
    if (filter && !filter.within?.from && (interval || compare)) {
      const needs = interval ? 'an interval' : 'compare';
      return reading.refuse('/within', `needs a beginning where there is ${needs}: last, since or between`);
    }
    if (!filter || !measure || interval === undefined || timezone === undefined) return undefined;
    if (split === undefined || compare === undefined) return undefined;
    return { ...filter, measure, interval, timezone, split, comparesPrevious: compare !== null };
  });
}

export function readQuestion<T>(call: QuestionText, timezone: string, read: ReadQuestion<T>): QuestionOrProblems<T> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return parsed;
  const { exact } = parsed.value;
  const reading = new Reading(timezone, call);
  const body = reading.object(exact, '');
  const question = body && read(reading, body);
  const { problems } = reading;
  return question === undefined || problems.length > 0 ? { ok: false, problems } : { ok: true, value: question };
}

/** Read before the rest, which has dates in it. */
function timezoneIn(text: string): string | undefined {
  const parsed = parseBody(text);
  const { plain } = parsed.ok ? parsed.value : {};
  const zone = isJsonObject(plain) ? plain['timezone'] : undefined;
  return typeof zone === 'string' ? zone : undefined;
}

/** @param at Where it stands. */
export function readEventFilter(reading: Reading, body: Body, at = ''): EventFilter | undefined {
  const events = readIfPresent(body, 'event', null, (value) => {
    // A question has taken a name twice since before audiences had lists.
    return readEventNames(reading, Array.isArray(value) ? [...new Set<unknown>(value)] : value, `${at}/event`);
  });
  const where = readIfPresent(body, 'where', [], (value) => readMembers(reading, value, `${at}/where`));
  const within = readIfPresent(body, 'within', null, (value) => readPeriod(reading, value, `${at}/within`));
  const users = readIfPresent(body, 'users', null, (value) => readNode(reading, value, `${at}/users`, 1));
  if (events === undefined || !where || within === undefined || users === undefined) return undefined;
  return { events, where, within, users };
}

function readMeasure(reading: Reading, body: Body): Measure | undefined {
  const kind = readWord(reading, body['measure'], '/measure', MEASURES);
  if (kind === undefined) return undefined;
  const takesProperty = kind !== 'count' && kind !== 'users';
  for (const [key, belongs] of [['of', takesProperty] as const, ['p', kind === 'percentile'] as const]) {
    if (belongs || !Object.hasOwn(body, key)) continue;
    reading.refuse(`/${key}`, `does not belong to the measure ${kind}`);
  }
  if (!takesProperty) return { kind };
  const of = readPath(reading, body['of'], '/of');
  if (kind !== 'percentile') return of && { kind, of };
  const p = readPercent(reading, body['p']);
  return of && p !== undefined ? { kind, of, p } : undefined;
}

function readPercent(reading: Reading, value: unknown): number | undefined {
  const p = JSON.isRawJSON(value) ? Number(value.rawJSON) : value;
  return typeof p === 'number' && p >= 0 && p <= 100 ? p : reading.refuse('/p', 'is not a number from 0 to 100');
}

export function readSplit(reading: Reading, value: unknown): Split | undefined {
  const split = reading.object(value, '/split');
  if (!split) return undefined;
  reading.onlyKeys(split, ['property', 'trait', 'event', 'top'], '/split');
  const [kind, ...others] = (['property', 'trait', 'event'] as const).filter((key) => Object.hasOwn(split, key));
  if (kind === undefined || others.length > 0) return reading.refuse('/split', 'needs one of property, trait, event');
  const top = readIfPresent(split, 'top', DEFAULT_TOP, (given) =>
    readWhole(reading, given, '/split/top', [1, MAX_TOP]),
  );
  if (kind === 'event') {
    if (split['event'] !== true) return reading.refuse('/split/event', 'is not true');
    return top === undefined ? undefined : { kind, top };
  }
  const path = readPath(reading, split[kind], `/split/${kind}`);
  return path && top !== undefined ? { kind, path, top } : undefined;
}

function readTimezone(reading: Reading, value: unknown): string | undefined {
  const name = reading.text(value, '/timezone', 1);
  if (name === undefined) return undefined;
  return isTimezone(name) ? name : reading.refuse('/timezone', 'is not an IANA time zone, such as Europe/Berlin');
}

function readPosition(reading: Reading, value: unknown): EventPosition | undefined {
  const position = typeof value === 'string' ? decodePosition(value) : undefined;
  return position ?? reading.refuse('/cursor', CURSOR_REFUSED);
}

function readWhole(
  reading: Reading,
  value: unknown,
  path: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  return isWhole ? value : reading.refuse(path, `is not a whole number from ${least} to ${most}`);
}

function readWord<T extends string>(
  reading: Reading,
  value: unknown,
  path: string,
  words: readonly T[],
): T | undefined {
  return (
    words.find((word) => word === value) ??
    reading.refuse(path, `${value === undefined ? 'is missing: it is' : 'is not'} one of ${words.join(', ')}`)
  );
}

/** `absent` where the body does not have it; undefined where it is refused. */
export function readIfPresent<T, A>(
  body: Body,
  key: string,
  absent: A,
  read: (value: unknown) => T | undefined,
): T | A | undefined {
  return Object.hasOwn(body, key) ? read(body[key]) : absent;
}
