import { Temporal } from 'temporal-polyfill';
import { microsOf } from '../../../services/questions/definition/audience.ts';
import { finiteDouble, wholeNumberOf } from '../../../services/messages/decimal.ts';
import type { Message, Micros, Track } from '../../../services/messages/message.ts';
import type { CountsQuestion, EventFilter, Split } from '../../../services/questions/events/read-question.ts';
import type { Interval } from '../../../services/questions/events/time-buckets.ts';
import { audienceOf, dayOf, History, memberPasses, parsed, valueAt } from './naive-audience.ts';

/** What is expected: exact text, or a double that may differ in its last digits. */
export type NaiveMeasure = string | { readonly near: number | null };

export interface NaiveCounts {
  /** The local time at which each bucket begins, by its label. */
  readonly labels: readonly string[];
  /** By the JSON of the value; `other` for the rest. The largest first. */
  readonly series: readonly (readonly [string, readonly NaiveMeasure[]])[];
}

// Every change of a clock since 1972 is on a quarter of an hour.
const QUARTER: Micros = 900_000_000n;
const labels = new Map<string, string>();

/** Every event that a filter finds, each message once a day, in the order of the log. */
export function naiveEvents(filter: EventFilter, messages: readonly Message[], now: Micros, ends = now + 1n): Track[] {
  const users = filter.users && audienceOf(filter.users, messages, now);
  const first = new Map<string, Track>();
  for (const message of messages) {
    if (message.type !== 'track') continue;
    const id = JSON.stringify([message.userKey, message.event, `${dayOf(message.timestamp)}`, message.messageId]);
    if (!first.has(id)) first.set(id, message);
  }
  const from = filter.within?.from ? microsOf(filter.within.from, now) : null;
  const to = filter.within?.to ? microsOf(filter.within.to, now) : ends;
  return [...first.values()].filter(
    ({ event, timestamp, userKey, properties }) =>
      (filter.events?.includes(event) ?? true) &&
      (from === null || timestamp >= from) &&
      timestamp < to &&
      (users?.has(userKey) ?? true) &&
      filter.where.every((member) => memberPasses(parsed(properties), member, now)),
  );
}

/** The measures of a question, found out the slow way. */
export function naiveCounts(question: CountsQuestion, messages: readonly Message[], now: Micros): NaiveCounts {
  const { within, interval, timezone, split } = question;
  const events = naiveEvents(question, messages, now);
  const labelAt = (instant: Micros) => (interval === null ? 'whole' : label(instant, interval, timezone));
  const from = within?.from ? microsOf(within.from, now) : null;
  const to = within?.to ? microsOf(within.to, now) : now + 1n;
  const inPeriod = new Set<string>(interval === null ? ['whole'] : []);
  if (interval !== null && from !== null)
    for (let at = from; at < to; at = quarterOf(at) + QUARTER) inPeriod.add(labelAt(at));
  const valueOf = (event: Track) => (split === null ? 'null' : splitValue(split, event, messages));
  const values = [...new Set(events.map(valueOf))];
  const byValue = (value: string) => events.filter((event) => valueOf(event) === value);
  const ranked = values
    .filter((value) => !('of' in question.measure) || byValue(value).some((event) => numberIn(question, event)))
    .map((value) => ({ value, total: rankOf(question, byValue(value)) }))
    .toSorted((one, other) => other.total - one.total || Buffer.compare(tag(one.value), tag(other.value)));
  const own = split === null ? ['null'] : ranked.slice(0, split.top).map(({ value }) => value);
  const rest = events.filter((event) => !own.includes(valueOf(event)));
  const inBuckets = (some: readonly Track[]) =>
    [...inPeriod].map((one) =>
      measured(
        question,
        some.filter(({ timestamp }) => labelAt(timestamp) === one),
      ),
    );
  const series = own.map((value) => [value, inBuckets(byValue(value))] as const);
  const hasOther = split !== null && ranked.length > split.top;
  return { labels: [...inPeriod], series: hasOther ? [...series, ['other', inBuckets(rest)]] : series };
}

function quarterOf(at: Micros): Micros {
  return at - (((at % QUARTER) + QUARTER) % QUARTER);
}

/** An hour on the clock with its offset, a day, or the Monday of a week. */
export function label(instant: Micros, interval: Interval, timezone: string): string {
  const key = `${quarterOf(instant)} ${interval} ${timezone}`;
  const found = labels.get(key) ?? labelOf(instant, interval, timezone);
  labels.set(key, found);
  return found;
}

function labelOf(instant: Micros, interval: Interval, timezone: string): string {
  const local = Temporal.Instant.fromEpochNanoseconds(instant * 1000n).toZonedDateTimeISO(timezone);
  if (interval === 'hour') return `${local.toPlainDate().toString()}T${local.hour}${local.offset}`;
  const day = local.toPlainDate();
  return (interval === 'day' ? day : day.subtract({ days: day.dayOfWeek - 1 })).toString();
}

function measured(question: CountsQuestion, events: readonly Track[]): NaiveMeasure {
  const { measure } = question;
  if (measure.kind === 'users') return String(new Set(events.map(({ userKey }) => userKey)).size);
  const numeric = 'of' in measure ? events.filter((event) => numberIn(question, event)) : events;
  const first = new Map<string, Track>();
  for (const event of numeric) {
    const id = JSON.stringify([event.userKey, event.event, event.messageId]);
    if (!first.has(id)) first.set(id, event);
  }
  if (measure.kind === 'count') return String(first.size);
  const numbers = [...first.values()].map((event) => numberIn(question, event) as NaiveNumber);
  const doubles = numbers.map(({ double }) => double);
  if (measure.kind === 'percentile') return { near: percentile(doubles, measure.p) };
  if (measure.kind === 'average' && numbers.length === 0) return { near: null };
  const sum = numbers.reduce((all, { millionths }) => all + (millionths ?? 0n), 0n);
  const isExact = numbers.every(({ millionths }) => millionths !== null);
  if (measure.kind === 'sum' && isExact) return decimal(sum);
  const total = isExact ? Number(sum) / 1e6 : doubles.reduce((all, one) => all + one, 0);
  return { near: measure.kind === 'sum' ? total : total / numbers.length };
}

interface NaiveNumber {
  readonly double: number;
  readonly millionths: bigint | null;
}

function numberIn({ measure }: CountsQuestion, { properties }: Track): NaiveNumber | undefined {
  const value = 'of' in measure ? valueAt(parsed(properties), measure.of) : undefined;
  if (typeof value !== 'number' && !JSON.isRawJSON(value)) return undefined;
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  const isWritten = /[.e]/i.test(text);
  const whole = isWritten ? null : wholeNumberOf(text);
  if (whole !== null) return { double: Number(whole), millionths: whole * 1_000_000n };
  const double = finiteDouble(Number(text));
  const isDecimal = Math.abs(double) < 1e9 && Number(double.toFixed(6)) === double;
  return { double, millionths: isDecimal ? BigInt(double.toFixed(6).replace('.', '')) : null };
}

function decimal(millionths: bigint): string {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
  return millionths < 0n ? `-${text}` : text;
}

/** As `percentile_cont` of Postgres. */
function percentile(values: readonly number[], p: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (p / 100) * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined ? null : low + (at - Math.floor(at)) * (high - low);
}

/** By the measure; where messages are counted, by the events that are listed. */
function rankOf(question: CountsQuestion, events: readonly Track[]): number {
  return question.measure.kind === 'count' ? events.length : size(measured(question, events));
}

function size(measure: NaiveMeasure): number {
  return typeof measure === 'string' ? Number(measure) : (measure.near ?? -Infinity);
}

/** The JSON of the value that an event is split by; `null` where it has none. */
export function splitValue(split: Split, { event, userKey, properties }: Track, messages: readonly Message[]): string {
  if (split.kind === 'event') return JSON.stringify(event);
  const { kind, path } = split;
  const container = kind === 'property' ? parsed(properties) : new History(messages, userKey).traits();
  const value = valueAt(container, path);
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value !== 'number' && !JSON.isRawJSON(value)) return 'null';
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  const isWhole = (kind === 'trait' && path.length === 1) || !/[.e]/i.test(text);
  const whole = isWhole ? wholeNumberOf(text) : null;
  return whole === null ? String(finiteDouble(Number(text)) + 0).replace('e+', 'e') : String(whole);
}

export function tag(json: string): Buffer {
  const value: unknown = JSON.parse(json);
  const letter = typeof value === 'string' ? `s${value}` : typeof value === 'boolean' ? `b${json}` : `n${json}`;
  return Buffer.from(value === null ? '' : letter);
}
