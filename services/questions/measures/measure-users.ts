import type { EventCondition, Measure, MeasureBound, Times } from '../definition/audience.ts';
import { ColumnValue, isNameable } from '../sql/column-value.ts';
import type { Params, Scope } from '../sql/params.ts';
import { followedEvents } from '../sql/sequence-users.ts';
import { columnSplitSql, propertySql, taggedSql } from '../sql/typed-value.ts';
import { firstCopies, messageSql, periodSql } from '../sql/user-sets.ts';
import { DECIMALS, WHOLE_DIGITS } from './exact-number.ts';

const SIGNS = { is: '=', is_not: '!=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const satisfies Record<
  MeasureBound['test'],
  string
>;

/**
 * A subquery that yields the users whose measure is within its bounds, each once. `times` does not include zero. Events are grouped by message first, so that of copies on several days the first on the
 * log has the value; by 64 bits, since a group by the 192 bits of both columns took twice as long.
 */
export function measureUsers(
  scope: Scope,
  condition: EventCondition,
  measure: Measure,
  times: Times,
  among: string | null,
): string {
  const { params } = scope;
  const { first, last } = condition;
  const list =
    `user, timestamp AS at, ${messageSql(condition)} AS message, precedence, ` +
    `${measuredSql(params, measure)} AS value`;
  const rows =
    condition.sequence === null
      ? firstCopies(scope, condition, list, among)
      : followedEvents(scope, condition, condition.sequence, list, among);
  const having = [
    ...(times.atLeast > 1 ? [`count() >= ${params.count(times.atLeast)}`] : []),
    ...(times.atMost === null ? [] : [`count() <= ${params.count(times.atMost)}`]),
    ...(first ? periodSql(scope, 'min(first_at)', first) : []),
    ...(last ? periodSql(scope, 'max(last_at)', last) : []),
  ];
  // Events without a value matter to nothing else.
  const given = having.length === 0 ? ' WHERE isNotNull(value)' : '';
  const messages =
    `SELECT any(user) AS of_user, min(at) AS first_at, max(at) AS last_at, argMax(value, precedence) AS measured ` +
    `FROM (${rows})${given} GROUP BY bitXor(message, toUInt64(user))`;
  const conditions = [...having, ...boundsSql(params, measure)];
  return `SELECT of_user AS user FROM (${messages}) GROUP BY of_user HAVING ${conditions.join(' AND ')}`;
}

function boundsSql(params: Params, { of, bounds }: Measure): string[] {
  // An average is compared as a sum: it may have more digits than any decimal.
  const value = {
    sum: 'sum(measured)',
    average: 'sum(measured)',
    min: 'min(measured)',
    max: 'max(measured)',
    distinct: `toDecimal256(uniqExact(measured), ${DECIMALS})`,
  }[of];
  const times = of === 'average' ? ' * count(measured)' : '';
  const tests = bounds.map(({ test, units }) => `${value} ${SIGNS[test]} ${params.decimal(units)}${times}`);
  return ['count(measured) > 0', ...tests];
}

/** What an event has to measure, NULL for nothing: a number as a decimal, or as text whatever is different. */
function measuredSql(params: Params, { of, path }: Measure): string {
  if (of !== 'distinct') return decimalSql(numberTextSql(params, path));
  const tagged = isNameable(path)
    ? columnSplitSql(new ColumnValue(params, path))
    : taggedSql(propertySql(params, path));
  return `nullIf(${tagged}, '')`;
}

/** The number as text: a double as the shortest decimal that stands for it. NULL for other values. */
function numberTextSql(params: Params, path: readonly string[]): string {
  if (isNameable(path)) {
    const value = new ColumnValue(params, path).dynamic();
    return `if(dynamicType(${value}) IN ('Int64', 'UInt64', 'Float64'), CAST(${value}, 'String'), NULL)`;
  }
  const { int64, uint64, float64 } = propertySql(params, path);
  return `coalesce(toString(${int64}), toString(${uint64}), toString(${float64}))`;
}

/** As `unitsOf` has it. What no decimal holds is too large. (`least` and `greatest` pass over NULL.) */
function decimalSql(text: string): string {
  const decimal = `toDecimal256OrNull(${text}, ${DECIMALS})`;
  const most = `toDecimal256('1e${WHOLE_DIGITS}', ${DECIMALS})`;
  const tooLarge = `if(startsWith(${text}, '-'), -${most}, ${most})`;
  return `multiIf(isNull(${text}), NULL, isNull(${decimal}), ${tooLarge}, least(greatest(${decimal}, -${most}), ${most}))`;
}
