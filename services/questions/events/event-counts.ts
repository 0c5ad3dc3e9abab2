import { microsOf } from '../definition/audience.ts';
import type { QueryBudget } from '../query-budget.ts';
import type { Micros } from '../../messages/message.ts';
import {
  type BucketRow,
  compileBuckets,
  compileCountedTop,
  compileTop,
  type CountedSplitRow,
  type CountsContext,
  type OpenSpan,
  type SplitRow,
} from './count-sql.ts';
import { valueJson } from './event-rows.ts';
import { emptyMeasure, measureText } from './measure-text.ts';
import type { CountsQuestion } from './read-question.ts';
import { spanBefore, type TimeBuckets, timeBuckets } from './time-buckets.ts';

/** The measure of a period, bucket by bucket. */
export interface Counts {
  readonly current: CountedSpan;
  readonly previous: CountedSpan | null;
  readonly series: readonly Series[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

interface CountedSpan {
  readonly span: OpenSpan;
  /** Null where the whole period is one bucket. */
  readonly buckets: TimeBuckets | null;
}

/** A measure for each bucket, as the text of a JSON number or `null`. */
interface Series {
  /** The value that events are split by, as JSON; `null` where an event has none, for `other`, and without a split. */
  readonly value: string;
  /** All values that have no series of their own, together. */
  readonly isOther: boolean;
  readonly values: readonly string[];
  readonly previous: readonly string[] | null;
}

/**
 * Counts events, within one budget. Undefined where the period has more than `MAX_BUCKETS` buckets.
 *
 * @param options With the evaluation, which relative times count back from.
 * @throws TidemarkError `QUERY_LIMIT` past the limits, naming which; `STORE_UNAVAILABLE`, retryable.
 */
export async function countEvents(
  budget: QueryBudget,
  options: Omit<CountsContext, 'span'>,
  question: CountsQuestion,
): Promise<Counts | undefined> {
  const spans = spansOf(question, options.now).map((span) => countedSpan(question, span));
  if (!spans.every((span) => span !== undefined)) return undefined;
  const [current, previous = null] = spans;
  if (current === undefined) throw new Error('a question has a period');
  const context = { ...options, span: current.span };
  const { top, counted } = await topOf(budget, question, context, current);
  const splits = top.slice(0, question.split?.top);
  const rows: (readonly string[])[][] = [];
  // Without events there is no value to split by, and nothing to count.
  for (const { span, buckets } of question.split !== null && top.length === 0 ? [] : spans) {
    const isCounted = counted !== null && span === current.span;
    const found = isCounted
      ? counted
      : await budget.ask<BucketRow>(compileBuckets(question, { ...context, span }, buckets, splits));
    rows.push(seriesOf(question, found, buckets, splits.length + 1));
  }
  const { tookMs, rowsRead } = budget;
  return { current, previous, series: named(question, top, rows), tookMs, rowsRead };
}

async function topOf(
  budget: QueryBudget,
  question: CountsQuestion,
  context: CountsContext,
  { buckets }: CountedSpan,
): Promise<Top> {
  const { split, measure } = question;
  if (split === null) return { top: [], counted: null };
  if (measure.kind !== 'count' || buckets === null || buckets.buckets.length === 0)
    return { top: await budget.ask<SplitRow>(compileTop(question, context)), counted: null };
  const top = await budget.ask<CountedSplitRow>(compileCountedTop(question, context, buckets));
  if (top.length > split.top) return { top, counted: null };
  const counted = top.flatMap(({ buckets: numbers, counts }, series) =>
    numbers.map((bucket, index) => ({ bucket, series, n: counts[index] ?? '0' })),
  );
  return { top, counted };
}

interface Top {
  /** The values with the largest measures, one more than have a series of their own. */
  readonly top: readonly SplitRow[];
  /** The buckets of the current period, where they were found on the way. */
  readonly counted: readonly BucketRow[] | null;
}

/** The period of a question and, where it is compared, the one before. */
function spansOf({ within, interval, timezone, comparesPrevious }: CountsQuestion, now: Micros): readonly OpenSpan[] {
  const from = within?.from ? microsOf(within.from, now) : null;
  // Up to the evaluation, that instant included.
  const to = within?.to ? microsOf(within.to, now) : now + 1n;
  const span = { from: from !== null && from > to ? to : from, to };
  return comparesPrevious && span.from !== null
    ? [span, spanBefore({ from: span.from, to }, interval, timezone)]
    : [span];
}

function countedSpan({ interval, timezone }: CountsQuestion, span: OpenSpan): CountedSpan | undefined {
  const { from, to } = span;
  if (interval === null || from === null) return { span, buckets: null };
  const buckets = timeBuckets({ from, to }, interval, timezone);
  return buckets && { span, buckets };
}

/** The values of each of `count` series, bucket by bucket. */
function seriesOf(
  { measure }: CountsQuestion,
  rows: readonly BucketRow[],
  buckets: TimeBuckets | null,
  count: number,
): (readonly string[])[] {
  const empty = emptyMeasure(measure);
  const size = buckets?.buckets.length ?? 1;
  const series = Array.from({ length: count }, () => Array.from({ length: size }, () => empty));
  for (const row of rows) {
    const values = series[row.series];
    if (values !== undefined) values[row.bucket] = measureText(measure, row);
  }
  return series;
}

function named(
  { split }: CountsQuestion,
  top: readonly SplitRow[],
  [current = [], previous]: readonly (readonly (readonly string[])[])[],
): readonly Series[] {
  const seriesAt = (index: number, value: string, isOther: boolean): Series => {
    const values = current[index] ?? [];
    return { value, isOther, values, previous: previous === undefined ? null : (previous[index] ?? []) };
  };
  if (split === null) return [seriesAt(0, 'null', false)];
  const ownSeries = top.slice(0, split.top).map(({ value }, index) => seriesAt(index, valueJson(value), false));
  return top.length > split.top ? [...ownSeries, seriesAt(split.top, 'null', true)] : ownSeries;
}
