/** An audience as read from its definition, in the terms of schemas/audience.json. Plain data. */
import { finiteDouble, wholeNumberOf } from '../../messages/decimal.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';

/** Users who satisfy a condition, or several together. */
export type Audience =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Audience[] }
  | { readonly kind: 'not'; readonly of: Audience }
  | AudienceReference
  | Condition;

/** The users of a saved audience, with its definition as it was when this one was read. */
export interface AudienceReference {
  readonly kind: 'audience';
  readonly id: string;
  readonly name: string;
  readonly of: Audience;
}

/**
 * What has no parts. A new kind needs a line in each table by `Condition['kind']`: how it is read (definition.ts) and
 * described (describe.ts), its set of users (sql/compile.ts), what that reads (explain/explain.ts), and its result for one
 * user (explain/evaluation-tree.ts, explain/to-json.ts). The compiler finds a table that lacks it.
 */
export type Condition = TraitCondition | EventCondition | SampleCondition | UsersCondition;

export type ConditionOf<K extends Condition['kind']> = Extract<Condition, { readonly kind: K }>;

const GROUPS = ['all', 'any', 'not', 'audience'] as const;

export function isCondition(audience: Audience): audience is Condition {
  return !(GROUPS as readonly string[]).includes(audience.kind);
}

/** Users whose trait passes every test. */
export interface TraitCondition extends Member {
  readonly kind: 'trait';
}

/** A stable share of all users. */
export interface SampleCondition {
  readonly kind: 'sample';
  /** Hundredths of a percent, from 1 to 10,000. */
  readonly hundredths: number;
  /** Samples of two seeds have nothing to do with each other; of one, the smaller is in the larger. */
  readonly seed: string;
}

/** The users of these ids, as far as there are such: a list. */
export interface UsersCondition {
  readonly kind: 'users';
  readonly ids: readonly string[];
}

/** Users who did something, so often, at such times. */
export interface EventCondition {
  readonly kind: 'event';
  /** Events of any of these names; null for events of all names. */
  readonly events: readonly string[] | null;
  /** Only events whose properties pass. */
  readonly where: readonly Member[];
  /** Only events within this period; null means at any time. */
  readonly within: Period | null;
  readonly times: Times;
  /** The period in which the first, or last, of these events lies; null means at any time. */
  readonly first: Period | null;
  readonly last: Period | null;
  /** Only events that a later one follows, or does not; null: whatever comes after them. */
  readonly sequence: Sequence | null;
  /** What these events must measure together; null: whatever they do. */
  readonly measure: Measure | null;
}

/** A number of the values that a property has in events, each message once. Users without any value do not pass. */
export interface Measure {
  readonly of: 'sum' | 'average' | 'min' | 'max' | 'distinct';
  readonly path: readonly string[];
  /** At least one. All must hold. */
  readonly bounds: readonly MeasureBound[];
}

export interface MeasureBound {
  readonly test: 'is' | 'is_not' | Comparison;
  /** The number in units of 10^-30. */
  readonly units: bigint;
}

/** An event and a later one of the same user. */
export interface Sequence {
  /** Whether the events are those that a later one follows, or those that none follows and whose time is over. */
  readonly isFollowed: boolean;
  /** The later event: of its condition the name, `where`, `within`, outside of which it follows none, and what follows it. */
  readonly later: EventCondition;
  /** How long after the earlier event the later one may be; where both are of one time, it arrived later. */
  readonly within: Micros;
  /** The events of the condition that are looked at: one alone is not counted. */
  readonly which: 'any' | 'first' | 'last';
}

/** A member of a JSON object and the tests that its value must pass. */
export interface Member {
  /** Keys from the outermost in; never empty, though a key may be. */
  readonly path: readonly string[];
  /** At least one. All must pass. */
  readonly tests: readonly Test[];
}

/** From `atLeast` to `atMost` times; null means no upper limit. */
export interface Times {
  readonly atLeast: number;
  readonly atMost: number | null;
}

/** From an instant (inclusive) to another (exclusive); null is open. */
export interface Period {
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** A point in time, or how long before the evaluation; after it where that is negative. */
export type Instant = { readonly at: Micros } | { readonly ago: Micros };

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte';

export type Test =
  | ({ readonly test: 'is'; readonly value: Constant } & TextOptions)
  | ({ readonly test: 'is_not'; readonly value: Constant } & TextOptions)
  | ({ readonly test: 'in'; readonly values: readonly Constant[] } & TextOptions)
  | { readonly test: 'exists'; readonly value: boolean }
  | { readonly test: Comparison; readonly value: string | NumberConstant }
  | ({ readonly test: 'contains'; readonly value: Constant } & TextOptions)
  | ({ readonly test: 'starts_with'; readonly value: string } & TextOptions)
  | ({ readonly test: 'ends_with'; readonly value: string } & TextOptions)
  | ({ readonly test: 'matches'; readonly value: string } & TextOptions)
  | DateTest
  | HasTest;

export interface TextOptions {
  /** Left out: the case of letters counts. */
  readonly ignoresCase?: true;
}

/** A date or time: it lies within a period, or its day of the year comes up. */
export interface DateTest {
  readonly test: 'date';
  readonly when: Period | { readonly upTo: Micros };
  /** Numbers of these since 1970 are times; null: texts are. */
  readonly epoch: 'seconds' | 'milliseconds' | null;
  /** It applies to texts without an offset, and to days. */
  readonly timezone: string;
}

/** A list of which one element, an object, passes all of these. */
export interface HasTest {
  readonly test: 'has';
  readonly members: readonly Member[];
}

export type Constant = string | boolean | NumberConstant;

export interface NumberConstant {
  /** The nearest finite double. */
  readonly double: number;
  /** The value where it is a whole number of 64 bits, signed or not: such are compared exactly. */
  readonly integer: bigint | null;
}

/** A number of JSON, as a double or as `JSON.rawJSON`; undefined for anything else. */
export function numberConstant(value: unknown): NumberConstant | undefined {
  if (typeof value !== 'number' && !JSON.isRawJSON(value)) return undefined;
  const number = typeof value === 'number' ? value : Number(value.rawJSON);
  if (Number.isNaN(number)) return undefined;
  const text = typeof value === 'number' ? String(value) : value.rawJSON;
  // + 0: minus zero is zero.
  return { double: finiteDouble(number) + 0, integer: wholeNumberOf(text) };
}

/** The instant in an evaluation at `now`. */
export function microsOf(instant: Instant, now: Micros): Micros {
  const micros = 'at' in instant ? instant.at : now - instant.ago;
  // No message has a time outside these bounds, and ClickHouse's dates end there.
  if (micros < EARLIEST) return EARLIEST;
  return micros >= END_OF_TIME ? END_OF_TIME - 1n : micros;
}

export function liesWithin(time: Micros, { from, to }: Period, now: Micros): boolean {
  return (from === null || time >= microsOf(from, now)) && (to === null || time < microsOf(to, now));
}

/** For each end of a period that moves with the evaluation: how long after an event's time that end passes the event. */
export function agesPassed(periods: readonly (Period | null)[]): readonly Micros[] {
  const ends = periods.flatMap((period) => (period === null ? [] : [period.from, period.to]));
  const ages = ends.flatMap((end) => (end !== null && 'ago' in end ? [end.ago + 1n] : []));
  return [...new Set(ages)];
}

/** The condition and those of its later events, one after the other. */
export function inSequence(condition: EventCondition): readonly EventCondition[] {
  return [condition, ...(condition.sequence ? inSequence(condition.sequence.later) : [])];
}

/** When an event must lie for the time after it to be over; null where that does not matter. */
export function timeOver({ isFollowed, within }: Sequence): Period | null {
  return isFollowed ? null : { from: null, to: { ago: within - 1n } };
}

/** A condition, and the RFC 6901 pointer to it in the document of its definition. */
export interface LocatedCondition {
  readonly path: string;
  readonly condition: Condition;
}

/** The parts of a group with their pointers. A condition has no parts. */
export function partsOf(audience: Audience, path: string): readonly (readonly [Audience, string])[] {
  if (isCondition(audience)) return [];
  if (audience.kind === 'not' || audience.kind === 'audience') return [[audience.of, `${path}/${audience.kind}`]];
  return audience.of.map((part, index) => [part, `${path}/${audience.kind}/${index}`]);
}

/** Without those of the audiences that it refers to: what is said of these is said where they are asked for. */
export function ownConditions(audience: Audience, path: string): readonly LocatedCondition[] {
  if (audience.kind === 'audience') return [];
  if (isCondition(audience)) return [{ path, condition: audience }];
  return partsOf(audience, path).flatMap(([part, at]) => ownConditions(part, at));
}

/** Every condition, in the order of the definition. */
export function conditionsIn(audience: Audience, path: string): readonly LocatedCondition[] {
  if (isCondition(audience)) return [{ path, condition: audience }];
  return partsOf(audience, path).flatMap(([part, at]) => conditionsIn(part, at));
}
