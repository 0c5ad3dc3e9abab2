/** Compiles questions about numbers of events to ClickHouse queries. No text of a caller becomes SQL. Pure. */
import { type CompileOptions, queryOf, scopeOf } from '../sql/compile.ts';
import type { Params, Scope } from '../sql/params.ts';
import { personRows } from '../sql/persons.ts';
import type { Micros } from '../../messages/message.ts';
import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { numberSql } from '../sql/typed-value.ts';
import { bucketSql, fromEvents, messageSql, splitSql, traitsSql } from './event-rows.ts';
import type { CountsQuestion, Measure } from './read-question.ts';
import { floorDiv, type TimeBuckets } from './time-buckets.ts';

export interface CountsContext extends CompileOptions {
  readonly span: OpenSpan;
}

/** From `from` (inclusive; null for ever) to `to` (exclusive). */
export interface OpenSpan {
  readonly from: Micros | null;
  readonly to: Micros;
}

/** What a measure is computed from. Integers are text. */
export interface MeasureRow {
  /** Events, or users; of numbers, those that there are. */
  readonly n: string;
  /** The sum of what is counted in whole millionths. */
  readonly millionths?: string;
  /** How many numbers are not in `millionths`, and their sum. */
  readonly others?: string;
  readonly others_sum?: number | null;
  readonly percentile?: number | null;
}

/** A value that events are split by: its text as `splitSql` gives it, and its hash. */
export interface SplitRow {
  readonly value: string;
  readonly hash: string;
}

/** `series` is the index among the values asked for, or their number for all others. */
export interface BucketRow extends MeasureRow {
  readonly bucket: number;
  readonly series: number;
}

/** Yields the values with the largest measures, one more than `top`: a row each as `SplitRow`, the largest first. */
export function compileTop(question: CountsQuestion, context: CountsContext): Query {
  const { measure, split } = question;
  const scope = scopeOf(context);
  const top = scope.params.count((split?.top ?? 0) + 1);
  const { rows, columns, order } = measuredRows(scope, question, context, null);
  const selected = order === 'count()' ? '' : `, ${columns}`;
  return queryOf(
    scope,
    `SELECT value, toString(sipHash64(value)) AS hash${selected} FROM (${deduplicated(rows, measure, ['value'])}) ` +
      `GROUP BY value ORDER BY ${order} DESC, value LIMIT ${top}`,
  );
}

/** A value, its buckets that have any events, and how many messages each has. */
export interface CountedSplitRow extends SplitRow {
  readonly buckets: readonly number[];
  readonly counts: readonly string[];
}

/**
 * As `compileTop`, for the measure `count`, with the counts of each value bucket by bucket: a row each as
 * `CountedSplitRow`. Where no values are left out, that is the whole answer, for which the events are read once.
 */
export function compileCountedTop(question: CountsQuestion, context: CountsContext, buckets: TimeBuckets): Query {
  const scope = scopeOf(context);
  const top = scope.params.count((question.split?.top ?? 0) + 1);
  const { rows } = measuredRows(scope, question, context, buckets);
  const count = areWithinDays(buckets, context.span.to) ? 'count()' : 'uniqExact(message)';
  return queryOf(
    scope,
    `SELECT value, toString(sipHash64(value)) AS hash, groupArray(bucket) AS buckets, groupArray(n) AS counts FROM ` +
      `(SELECT value, bucket, ${count} AS n, count() AS listed FROM (${rows}) GROUP BY value, bucket) ` +
      `GROUP BY value ORDER BY sum(listed) DESC, value LIMIT ${top}`,
  );
}

/**
 * Yields the measure of each bucket that has any events, a row each as `BucketRow`. @param splits The values to split by,
 * of `compileTop`.
 */
export function compileBuckets(
  question: CountsQuestion,
  context: CountsContext,
  buckets: TimeBuckets | null,
  splits: readonly SplitRow[],
): Query {
  const { measure } = question;
  const scope = scopeOf(context);
  const copies = question.arrived === undefined && takesAnyCopy(question, buckets) ? 'any' : 'first';
  const isOnce = copies === 'first' && buckets !== null && areWithinDays(buckets, context.span.to);
  const { rows, columns } = measuredRows(scope, question, context, buckets, copies);
  const { params } = scope;
  const numbered = `SELECT * EXCEPT value, toUInt8(${seriesSql(params, splits)}) AS series FROM (${rows})`;
  return queryOf(
    scope,
    `SELECT bucket, series, ${isOnce && measure.kind === 'count' ? 'count() AS n' : columns} ` +
      `FROM (${isOnce ? numbered : deduplicated(numbered, measure, ['bucket', 'series'])}) GROUP BY bucket, series`,
  );
}

// A parameter over HTTP has 128 KiB at most (http_max_field_value_size); escaping may double a value.
const VALUES_BYTES = 60_000;

/** The index of the value among these, or their number. Long values are compared by their hashes. */
function seriesSql(params: Params, splits: readonly SplitRow[]): string {
  if (splits.length === 0) return '0';
  const others = params.count(splits.length);
  const bytes = splits.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  const [key, list] =
    bytes <= VALUES_BYTES
      ? ['value', params.strings(splits.map(({ value }) => value))]
      : ['sipHash64(value)', `CAST(${params.strings(splits.map(({ hash }) => hash))}, 'Array(UInt64)')`];
  return `transform(${key}, ${list}, range(${others}), ${others})`;
}

interface Rows {
  /** `bucket`, `value`, `message`, `user`, `precedence`, and the numbers of the measure. */
  readonly rows: string;
  /** The measure over them as `MeasureRow`. */
  readonly columns: string;
  /** What the largest is by. */
  readonly order: string;
}

/** What tells whose an event is, and which message. */
const ROW_KEY = ['user', 'event', 'message_number', 'precedence'];

function measuredRows(
  scope: Scope,
  question: CountsQuestion,
  { span }: CountsContext,
  buckets: TimeBuckets | null,
  copies: 'first' | 'any' = 'first',
): Rows {
  const { params } = scope;
  const { split, measure } = question;
  const within = { from: span.from === null ? null : { at: span.from }, to: { at: span.to } };
  const numbers = 'of' in measure ? numberSql(params, measure.of) : null;
  const value = split === null || split.kind === 'trait' ? "''" : splitSql(params, split);
  const whose = [
    'toUInt64(user) AS user_half',
    `${messageSql(question.events)} AS message`,
    'precedence',
    ...(split?.kind === 'trait' ? ['user AS of_user'] : []),
  ];
  const bucket = `${buckets === null ? '0' : bucketSql(params, buckets)} AS bucket`;
  const measured = numbers === null ? [] : [`${numbers.double} AS double`, `${numbers.millionths} AS decimal`];
  const given = numbers === null ? '' : ' AND isNotNull(double)';
  const rowsOf = (list: readonly string[]): string =>
    `SELECT ${[bucket, `${value} AS value`, ...list, ...measured].join(', ')} ` +
    `${fromEvents(scope, { ...question, within }, copies)}${given}`;
  const events =
    scope.joins === true
      ? `SELECT * EXCEPT (${ROW_KEY.join(', ')}), ${whose.join(', ')} FROM (${personRows(scope, rowsOf(ROW_KEY))})`
      : rowsOf(whose);
  const valued =
    split?.kind === 'trait'
      ? `SELECT events.* EXCEPT (value, of_user), traits.split AS value FROM (${events}) AS events ` +
        `ANY LEFT JOIN (${traitsSql(scope, split)}) AS traits ON traits.user = events.of_user`
      : events;
  return { rows: valued, ...measureSql(params, measure) };
}

function measureSql(params: Params, measure: Measure): Omit<Rows, 'rows'> {
  switch (measure.kind) {
    case 'count':
      // The rank by what is listed takes half of the time, and differs by messages sent again on another day alone.
      return { columns: 'uniqExact(message) AS n', order: 'count()' };
    case 'users':
      return { columns: 'uniqExact(user_half) AS n', order: 'n' };
    case 'percentile':
      return {
        columns: `count() AS n, quantileExactInclusive(${params.double(measure.p / 100)})(assumeNotNull(double)) AS percentile`,
        order: 'percentile',
      };
    case 'sum':
    case 'average':
      break;
  }
  const others = 'sumKahanIf(assumeNotNull(double), isNull(decimal))';
  const total = `(toFloat64(sum(decimal)) / 1000000 + ${others})`;
  return {
    columns:
      `count() AS n, sum(decimal) AS millionths, countIf(isNull(decimal)) AS others, ${others} AS others_sum, ` +
      `${measure.kind === 'sum' ? total : `${total} / count()`} AS total`,
    order: 'total',
  };
}

/**
 * A message sent again under the timestamp of another day has a row of each day. `uniqExact` counts it once; of numbers,
 * the copy that is first on the log counts.
 */
function deduplicated(rows: string, measure: Measure, keys: readonly string[]): string {
  if (!('of' in measure)) return rows;
  const first = 'argMax(tuple(assumeNotNull(double), decimal), precedence) AS first';
  const firsts = `SELECT ${keys.join(', ')}, ${first} FROM (${rows}) GROUP BY ${[...keys, 'message'].join(', ')}`;
  return `SELECT ${keys.join(', ')}, first.1 AS double, first.2 AS decimal FROM (${firsts})`;
}

/**
 * Whether copies of one message of a day, which may have another time of that day and other properties, all count in the
 * same bucket and series, so that distinct messages or users can be counted over all of them.
 */
function takesAnyCopy({ measure, split, where }: CountsQuestion, buckets: TimeBuckets | null): boolean {
  const isOfMessages = measure.kind === 'count' || measure.kind === 'users';
  // The first bucket begins with the period.
  const areDays = (buckets?.buckets ?? []).every(({ start }, index) => index === 0 || start % DAY_MICROS === 0n);
  return isOfMessages && where.length === 0 && split?.kind !== 'property' && areDays;
}

/** Whether every bucket lies within one day of UTC, on which a message has one row. */
function areWithinDays({ buckets }: TimeBuckets, to: Micros): boolean {
  return buckets.every(({ start }, index) => {
    const end = buckets[index + 1]?.start ?? to;
    return floorDiv(start, DAY_MICROS) === floorDiv(end - 1n, DAY_MICROS);
  });
}
