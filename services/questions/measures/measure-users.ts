import type { EventCondition, Measure, MeasureBound, Times } from '../definition/audience.ts';
import { OPERATOR_SQL } from '../definition/value.ts';
import type { Params, Scope } from '../sql/params.ts';
import { followedEvents } from '../sql/sequence-users.ts';
import { numberSql, propertySql, taggedPropertySql } from '../sql/typed-value.ts';
import { copiesApart, FEW, firstCopies, messageSql, periodSql } from '../sql/user-sets.ts';
import { DECIMALS, UNITS_OF_MILLIONTH, UNITS_OF_ONE, WHOLE_DIGITS } from './exact-number.ts';

const SIGNS: Readonly<Record<MeasureBound['test'], string>> = { is: '=', is_not: '!=', ...OPERATOR_SQL };

/**
 * A subquery that yields the users whose measure is within its bounds, each once. `times` does not include zero. The
 * first copy on the log has the value of a message that has copies on several days.
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
  const having = [
    ...(times.atLeast > 1 ? [`count() >= ${params.count(times.atLeast)}`] : []),
    ...(times.atMost === null ? [] : [`count() <= ${params.count(times.atMost)}`]),
    ...(first ? periodSql(scope, 'min(first_at)', first) : []),
    ...(last ? periodSql(scope, 'max(last_at)', last) : []),
  ];
  const value = measuredSql(params, measure);
  // Events without a value matter to nothing else.
  const given = having.length === 0 ? ` WHERE ${value.isGiven}` : '';
  const messages = messagesSql(scope, condition, value, given, among);
  const conditions = [...having, ...boundsSql(params, measure)];
  return `SELECT of_user AS user FROM (${messages}) GROUP BY of_user HAVING ${conditions.join(' AND ')}`;
}

/** What stands for the value of an event: columns, and the condition that it has one. */
interface MeasuredSql {
  readonly columns: Readonly<Record<string, string>>;
  readonly isGiven: string;
}

/**
 * A row for each message: `of_user`, `first_at`, `last_at` and the columns of the value. Most messages have one row, so only
 * those with several are grouped, and merged by FINAL, which costs most for rows that nothing has merged yet. Among few
 * users there are few rows: they are merged and grouped whole.
 */
function messagesSql(
  scope: Scope,
  condition: EventCondition,
  { columns, isGiven }: MeasuredSql,
  given: string,
  among: string | null,
): string {
  const names = Object.keys(columns);
  const values = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
  const list = ['user', 'timestamp AS at', `${messageSql(condition)} AS message`, 'precedence', ...values].join(', ');
  const grouped = (rows: string): string =>
    `SELECT of_user, first_at, last_at, ${names.map((name, index) => `one.${index + 1} AS ${name}`).join(', ')} FROM (` +
    `SELECT any(user) AS of_user, min(at) AS first_at, max(at) AS last_at, ` +
    `argMaxIf(tuple(${names.join(', ')}), precedence, ${isGiven}) AS one FROM (${rows})${given} GROUP BY bitXor(message, toUInt64(user)))`;
  if (condition.sequence !== null) return grouped(followedEvents(scope, condition, condition.sequence, list, among));
  if (among !== null) return grouped(firstCopies(scope, condition, list, among));
  const { single, repeated } = copiesApart(scope, condition, list);
  const plain = `SELECT user AS of_user, at AS first_at, at AS last_at, ${names.join(', ')} FROM (${single})${given}`;
  return `${plain} UNION ALL ${grouped(repeated)}`;
}

function boundsSql(params: Params, { of, bounds }: Measure): string[] {
  if (of === 'distinct') return ['count(value) > 0', ...bounds.map((bound) => distinctSql(params, bounds, bound))];
  return [`${VALUES} > 0`, ...bounds.map((bound) => boundSql(params, of, bound))];
}

const VALUES = '(count(millionths) + count(other))';

/** The measure in millionths, and as the decimal that bounds are. (`least` and `greatest` pass over NULL.) */
const MEASURES = {
  sum: {
    millionths: 'sum(millionths)',
    decimal: `(${decimalOf('ifNull(sum(millionths), 0)')} + ifNull(sum(other), 0))`,
  },
  min: { millionths: 'min(millionths)', decimal: `least(${decimalOf('min(millionths)')}, min(other))` },
  max: { millionths: 'max(millionths)', decimal: `greatest(${decimalOf('max(millionths)')}, max(other))` },
} as const;

function decimalOf(millionths: string): string {
  return `toDecimal256(${millionths}, ${DECIMALS}) / 1000000`;
}

/** Below it, as many millionths as a user has events fit into 128 bits. */
const MILLIONTHS_BELOW = 10n ** 18n;

/** Decimals for all users would be half of the work, so they are used for those alone who have another number. */
function boundSql(params: Params, of: Exclude<Measure['of'], 'distinct'>, { test, units }: MeasureBound): string {
  // An average is compared as a sum: it may have more digits than any decimal.
  const { millionths, decimal } = MEASURES[of === 'average' ? 'sum' : of];
  const times = of === 'average' ? ` * ${VALUES}` : '';
  const byDecimals = `${decimal} ${SIGNS[test]} ${params.decimal(units)}${times}`;
  const bound = units / UNITS_OF_MILLIONTH;
  const size = bound < 0n ? -bound : bound;
  if (units % UNITS_OF_MILLIONTH !== 0n || size >= MILLIONTHS_BELOW) return byDecimals;
  return `if(count(other) = 0, ${millionths} ${SIGNS[test]} ${params.integer(bound)}${times}, ${byDecimals})`;
}

/** The number of different values; past all bounds, any number that is past them too. */
function distinctSql(params: Params, bounds: readonly MeasureBound[], { test, units }: MeasureBound): string {
  const most = bounds.reduce((largest, one) => (one.units > largest ? one.units : largest), 0n) / UNITS_OF_ONE;
  const number = most < FEW ? `uniqUpTo(${most + 1n})(value)` : 'uniqExact(value)';
  if (units % UNITS_OF_ONE !== 0n)
    return `toDecimal256(${number}, ${DECIMALS}) ${SIGNS[test]} ${params.decimal(units)}`;
  return `${number} ${SIGNS[test]} ${params.integer(units / UNITS_OF_ONE)}`;
}

/**
 * What an event has to measure, NULL for nothing. A number is whole millionths, as almost all are, or a decimal, which is many
 * times dearer to compute with. What is told apart from others is a hash.
 */
function measuredSql(params: Params, { of, path }: Measure): MeasuredSql {
  if (of === 'distinct') return { columns: { value: distinctValueSql(params, path) }, isGiven: 'isNotNull(value)' };
  const { millionths } = numberSql(params, path);
  const other = `if(isNotNull(millionths), NULL, ${decimalSql(numberTextSql(params, path))})`;
  return { columns: { millionths, other }, isGiven: '(isNotNull(millionths) OR isNotNull(other))' };
}

function distinctValueSql(params: Params, path: readonly string[]): string {
  const tagged = taggedPropertySql(params, path);
  return `if(${tagged} = '', NULL, sipHash64(${tagged}))`;
}

/** The number as text: a double as the shortest decimal that stands for it. NULL for other values. */
function numberTextSql(params: Params, path: readonly string[]): string {
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
