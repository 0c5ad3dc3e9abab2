/** The question that an address of the screen asks, and what it is to the service. Everything here is pure. */
import { isList, isObject, type Json, type JsonObject, jsonText, parseJson } from '../../api/json.ts';
import { HOUR_MS } from '../../parts/numbers.ts';
import { jsonIn } from '../builder/json-text.ts';

export const MEASURES = {
  count: 'Events',
  users: 'Different users',
  sum: 'Sum of',
  average: 'Average of',
  percentile: 'Percentile of',
} as const;
export type Measure = keyof typeof MEASURES;

export const PERIODS = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '365d': 'Last 365 days',
} as const;

export const INTERVALS = { hour: 'Hour', day: 'Day', week: 'Week' } as const;
export type Interval = keyof typeof INTERVALS;

/** One on a property, as definitions have them. */
export type Condition = JsonObject;

export interface Question {
  readonly event: string;
  readonly measure: Measure;
  /** The property that is summed, averaged or ranked; undefined where none is chosen yet. */
  readonly of: string | undefined;
  /** `50`: of a percentile. */
  readonly p: string;
  /** `{"last": "30d"}` */
  readonly within: Readonly<Record<string, Json>>;
  readonly interval: Interval;
  /** `property:plan` or `trait:plan` */
  readonly split: string | undefined;
  readonly top: number;
  readonly where: readonly Condition[];
  readonly isCompared: boolean;
}

const DAY_HOURS = 24;
/** The service makes no more. */
const MAX_BUCKETS = 2_400;
const HOURS = { hour: 1, day: DAY_HOURS, week: 7 * DAY_HOURS } as const satisfies Record<Interval, number>;

export function questionOf(event: string, query: URLSearchParams, nowMs: number): Question {
  const within = withinOf(query);
  const hours = hoursOf(within, nowMs);
  const top = Number(query.get('top') ?? '');
  return {
    event,
    measure: keyIn(MEASURES, query.get('measure')) ?? 'count',
    of: query.get('of') ?? undefined,
    p: query.get('p') ?? '50',
    within,
    interval:
      keyIn(INTERVALS, query.get('interval')) ??
      (hours <= 2 * DAY_HOURS ? 'hour' : hours <= 120 * DAY_HOURS ? 'day' : 'week'),
    split: query.get('split') ?? undefined,
    top: Number.isInteger(top) && top > 0 ? top : 5,
    where: whereOf(query.get('where')),
    isCompared: query.get('compare') === 'previous',
  };
}

/** Whether the question can be asked: some measures are of a property. */
export function isWhole({ measure, of }: Question): boolean {
  return !needsProperty(measure) || of !== undefined;
}

export function needsProperty(measure: Measure): boolean {
  return measure !== 'count' && measure !== 'users';
}

/** Whether a period of `hours` has no more such intervals than the service answers. */
export function fits(interval: Interval, hours: number): boolean {
  return hours / HOURS[interval] <= MAX_BUCKETS;
}

/** The days that were chosen: the first, and the one that is not in the period any more; '' for one that was not. */
export function daysIn({ since, between }: Question['within']): readonly [string, string] {
  const [from, to] = isList(between) ? between : [since, undefined];
  return [typeof from === 'string' ? from : '', typeof to === 'string' ? to : ''];
}

/** `Last 30 days`, `Since 2026-11-01`, `2026-11-01 to before 2026-11-08` */
export function periodText(within: Question['within']): string {
  const { last } = within;
  if (typeof last === 'string')
    return Object.hasOwn(PERIODS, last) ? PERIODS[last as keyof typeof PERIODS] : `Last ${last}`;
  const [since, until] = daysIn(within);
  return until === '' ? `Since ${since}` : `${since} to before ${until}`;
}

/** How long the period is, about. */
export function hoursOf(within: Question['within'], nowMs: number): number {
  const { last } = within;
  if (typeof last === 'string') {
    const unit = { h: 1, d: DAY_HOURS, w: 7 * DAY_HOURS }[last.slice(-1)] ?? 1;
    return Number.parseInt(last, 10) * unit;
  }
  const [from, to] = daysIn(within);
  const toMs = to === '' ? nowMs : Date.parse(to);
  return from === '' ? 0 : Math.max(0, (toMs - Date.parse(from)) / HOUR_MS);
}

/** The body of `POST /v1/events/counts`: by the question's interval, or one value of the whole period. */
export function countsBody(question: Question, isWholePeriod = false): string {
  const { measure, of, p, interval, split, top, isCompared } = question;
  const [kind, name] = splitParts(split);
  return jsonText({
    ...meant(question),
    measure,
    ...(needsProperty(measure) && of !== undefined && { of }),
    ...(measure === 'percentile' && { p: jsonIn(p) ?? p }),
    ...(!isWholePeriod && { interval }),
    ...(name !== undefined && { split: { [kind]: name, top: parseJson(String(top)) } }),
    ...(isCompared && { compare: 'previous' }),
  });
}

/** The body of `POST /v1/events/query` for the newest of the same events. */
export function queryBody(
  question: Question,
  limit: number,
  more: { readonly traits?: string | undefined; readonly cursor?: string | undefined } = {},
): string {
  const given = Object.entries(more).filter((one): one is [string, string] => one[1] !== undefined);
  return jsonText({ ...meant(question), limit: parseJson(String(limit)), ...Object.fromEntries(given) });
}

/** What a watch counts of it, as JSON text; undefined where it is no count of events, or is told apart. */
export function watchedOf(question: Question): string | undefined {
  const { within: _, ...watched } = meant(question);
  return question.measure === 'count' && question.split === undefined ? jsonText(watched) : undefined;
}

/** The audience of the users who did this in this time: a definition, as JSON text. */
export function audienceOf(question: Question): string {
  return jsonText(meant(question));
}

/** `property:plan` → `['property', 'plan']` */
export function splitParts(split: string | undefined): readonly ['property' | 'trait', string | undefined] {
  const [, kind, name] = /^(property|trait):(.+)$/s.exec(split ?? '') ?? [];
  return [kind === 'trait' ? 'trait' : 'property', name];
}

/** Which events are meant: the same members in counts, rows and audiences. */
function meant({ event, where, within }: Question): Record<string, Json> {
  return { event, ...(where.length > 0 && { where }), within };
}

function withinOf(query: URLSearchParams): Question['within'] {
  const [since, until] = [query.get('since'), query.get('until')];
  if (since !== null) return until === null ? { since } : { between: [since, until] };
  const last = query.get('last') ?? '';
  return { last: /^[1-9]\d{0,4}[hdw]$/.test(last) ? last : '30d' };
}

/** The conditions of an address; anything else is left out. */
export function whereOf(text: string | null): readonly Condition[] {
  const value = jsonIn(text ?? '');
  return isList(value) ? value.filter(isObject) : [];
}

function keyIn<T extends object>(table: T, name: string | null): keyof T | undefined {
  return name !== null && Object.hasOwn(table, name) ? (name as keyof T) : undefined;
}
