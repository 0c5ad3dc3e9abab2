/** Counts users who did one event after the other. No text of a caller becomes SQL. */
import { type EventCondition, inSequence } from '../definition/audience.ts';
import type { QueryBudget } from '../query-budget.ts';
import { type CompileOptions, queryOf, scopeOf, usersOf } from '../sql/compile.ts';
import type { Scope } from '../sql/params.ts';
import { firstCopies, memberSql, namesSql, periodSql } from '../sql/user-sets.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { traitsSql, valueJson } from './event-rows.ts';
import type { FunnelQuestion } from './read-funnel.ts';

/** The users who reached each step. */
export interface Funnel {
  readonly reached: readonly number[];
  /** By the values of a trait, the most users first, what is left last; empty without a split. */
  readonly series: readonly FunnelSeries[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

export interface FunnelSeries {
  /** As JSON; `null` of users without a value, and of all values that have no series of their own. */
  readonly value: string;
  readonly isOther: boolean;
  readonly reached: readonly number[];
}

interface FunnelRow {
  /** As `traitsSql` gives it. */
  readonly value: string;
  /** How many values there are. */
  readonly size: string;
  readonly reached: readonly string[];
  /** All values together. */
  readonly total: readonly string[];
}

/**
 * @throws TidemarkError `QUERY_LIMIT` past the limits, naming which; `STORE_UNAVAILABLE`, retryable.
 */
export async function countFunnel(
  budget: QueryBudget,
  options: CompileOptions,
  question: FunnelQuestion,
): Promise<Funnel> {
  const rows = await budget.ask<FunnelRow>(compileFunnel(question, options));
  const reached = rows[0]?.total.map(Number) ?? inSequence(question.sequence).map(() => 0);
  const { tookMs, rowsRead } = budget;
  return { reached, series: question.split === null ? [] : seriesOf(rows, reached), tookMs, rowsRead };
}

function seriesOf(rows: readonly FunnelRow[], total: readonly number[]): readonly FunnelSeries[] {
  const series = rows.map(({ value, reached }) => ({
    value: valueJson(value),
    isOther: false,
    reached: reached.map(Number),
  }));
  if (Number(rows[0]?.size ?? 0) <= rows.length) return series;
  const rest = total.map((users, step) => series.reduce((left, one) => left - (one.reached[step] ?? 0), users));
  return [...series, { value: 'null', isOther: true, reached: rest }];
}

/** Yields a row for each of the values with the most users; without a split at most one. */
export function compileFunnel({ sequence, users, split }: FunnelQuestion, options: CompileOptions): Query {
  const scope = scopeOf(options);
  const steps = inSequence(sequence);
  const among = users && usersOf(scope, users);
  const courses = coursesSql(scope, steps, among);
  const valued =
    split === null
      ? `SELECT '' AS value, steps FROM (${courses})`
      : `SELECT traits.split AS value, courses.steps AS steps FROM (${courses}) AS courses ` +
        `ANY LEFT JOIN (${traitsSql(scope, split)}) AS traits ON traits.user = courses.user`;
  const counts = steps.map((_, index) => `countIf(steps > ${index})`).join(', ');
  const counted = `SELECT value, [${counts}] AS reached FROM (${valued}) GROUP BY value`;
  return queryOf(
    scope,
    `SELECT value, reached, count() OVER () AS size, sumForEach(reached) OVER () AS total FROM (${counted}) ` +
      `ORDER BY reached[1] DESC, value LIMIT ${scope.params.count(split?.top ?? 1)}`,
  );
}

/**
 * For each person who did the first step: `user`, and `steps`, how many steps were reached. A step is reached by an event
 * that is in time after an event by which the step before was reached, so after the last of these. The events of a person
 * are read and sorted once for all steps, but where none is of the second.
 */
function coursesSql(scope: Scope, steps: readonly EventCondition[], among: string | null): string {
  const codes = steps.map((_, index) => `groupArrayIf(code + ${LAST_STEP - index}, is_${index})`);
  const persons =
    `SELECT user, arraySort(if(max(is_1), arrayConcat(${codes.join(', ')}), [])) AS codes FROM (${stepRows(scope, steps, among)}) ` +
    `GROUP BY user HAVING max(is_0)`;
  const lasts = steps.map((_, index) => {
    if (index === 0) return `${carriedOn('(a, s) -> if(s = 0, a, 0)', 'at, step')} AS last_0`;
    const within = scope.params.micros(steps[index - 1]?.sequence?.within ?? 0n);
    const isReached = `s = ${index} AND before > 0 AND a - before <= ${within}`;
    return `${carriedOn(`(a, s, before) -> if(${isReached}, a, 0)`, `at, step, last_${index - 1}`)} AS last_${index}`;
  });
  const reached = ['1', ...steps.slice(1).map((_, index) => `(last_${index + 1}[-1] > 0)`)].join(' + ');
  return (
    `SELECT user, ${reached} AS steps, ${lasts.join(', ')} FROM (SELECT user, ` +
    `arrayMap(code -> toInt64(bitShiftRight(code, ${TIME_BITS})), codes) AS at, ` +
    `arrayMap(code -> ${LAST_STEP} - toUInt8(bitAnd(code, ${LAST_STEP})), codes) AS step FROM (${persons}))`
  );
}

/** For each event when the step was reached last, that event included; 0: not yet. */
function carriedOn(time: string, of: string): string {
  return `arrayFill(one -> one > 0, arrayMap(${time}, ${of}))`;
}

/**
 * The events of all steps: `user`, which steps they are, and `code`, in the order of time and arrival as `byTimeAndArrival` has it. A code has room for the step, the last one lowest: neither of two events of one time and arrival
 * follows the other.
 */
function stepRows(scope: Scope, steps: readonly EventCondition[], among: string | null): string {
  const [first, last] = [steps[0], steps.at(-1)] as [EventCondition, EventCondition];
  const events = steps.some((step) => step.events === null)
    ? null
    : [...new Set(steps.flatMap((step) => step.events ?? []))];
  const within = first.within && { from: first.within.from, to: last.within?.to ?? null };
  const are = steps.map((step, index) => `toBool(${stepSql(scope, step, index === 0)}) AS is_${index}`);
  return firstCopies(scope, { ...first, events, within, where: [] }, `user, ${CODE} AS code, ${are.join(', ')}`, among);
}

/** Whether an event is of the step. Only the first has a period that does not follow from the events before. */
function stepSql(scope: Scope, { events, where, within }: EventCondition, isFirst: boolean): string {
  const conditions = [
    ...namesSql(scope.params, events),
    ...where.map((member) => memberSql(scope, member)),
    ...(isFirst && within ? periodSql(scope, 'timestamp', within) : []),
  ];
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}

const LAST_STEP = 7;
/** Three bits for the step, 54 for the arrival. */
const TIME_BITS = 57;
// From the beginning of a time that no event is before, so that none is 0 or less.
const CODE =
  `bitShiftLeft(toUInt128(toUnixTimestamp64Micro(timestamp) + 9007199254740992), ${TIME_BITS}) ` +
  '+ bitShiftLeft(toUInt128(toUnixTimestamp64Micro(received_at)), 3)';
