/** Compiles tests of dates. Time zones are applied here, so that ClickHouse's own are not asked. Pure. */
import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME, formatMicros } from '../../messages/timestamp.ts';
import { type DateTest, microsOf } from '../definition/audience.ts';
import { orFalse, type ValueSql } from '../definition/value.ts';
import type { Params, Scope } from '../sql/params.ts';
import { anniversaryDays, aroundDays, yearlySpans } from './anniversary.ts';
import { firstDateFrom, type LocalRange, localTimesFrom } from './local-time.ts';

/** The period and the days of the year in which an instant must lie. */
interface Wanted {
  readonly from: Micros;
  /** Exclusive. */
  readonly to: Micros;
  /** `MM-DD`; null: every day. */
  readonly days: ReadonlySet<string> | null;
  readonly timezone: string;
}

export function dateSql({ params, now }: Scope, value: ValueSql, test: DateTest): string {
  const { when, epoch, timezone } = test;
  const wanted: Wanted =
    'upTo' in when
      ? { from: EARLIEST, to: END_OF_TIME, days: anniversaryDays({ ...when, timezone }, now), timezone }
      : {
          from: when.from ? microsOf(when.from, now) : EARLIEST,
          to: when.to ? microsOf(when.to, now) : END_OF_TIME,
          days: null,
          timezone,
        };
  if (epoch === null) return textSql(params, value.string(), wanted);
  const micros = epochSql(params, value, epoch === 'seconds' ? 1_000_000n : 1_000n);
  return orFalse(`arrayExists(instant -> ${orFalse(instantSql(params, 'instant', wanted))}, [${micros}])`);
}

/** Microseconds; NULL where the value is no number, or beyond all times. */
function epochSql(params: Params, value: ValueSql, unit: Micros): string {
  const { integer, double } = value.number();
  const [factor, most] = [params.micros(unit), params.micros(10n ** 18n / unit)];
  const isWithin = (number: string) => `${number} >= -${most} AND ${number} <= ${most}`;
  return (
    `coalesce(if(${isWithin(integer)}, toInt64(${integer}) * ${factor}, NULL), ` +
    // The sum rounds: the double that is nearest to a time in seconds may be a little less.
    `if(${isWithin(double)}, toInt64(floor(${double} * ${factor} + 0.5)), NULL))`
  );
}

/** Whether an instant in microseconds is wanted. */
function instantSql(params: Params, instant: string, { from, to, days, timezone }: Wanted): string {
  const lies = `${instant} >= ${params.micros(from)} AND ${instant} < ${params.micros(to)}`;
  if (days === null) return lies;
  const { starts, ends } = yearlySpans(days, timezone);
  const bounds = [EARLIEST - DAY_MICROS, ...starts, ...ends].sort((one, other) => (one < other ? -1 : 1));
  return `${lies} AND roundDown(assumeNotNull(${instant}), ${params.manyMicros(bounds)}) IN ${params.manyMicros(starts)}`;
}

/** Whether a text is a date or time that is wanted. */
function textSql(params: Params, text: string, wanted: Wanted): string {
  const { from, to, days, timezone } = wanted;
  // Variables of lambdas: ClickHouse would plan each use of an expression again, for a quarter of a second.
  const [fields, local] = ['fields', 'local'];
  const offset = `if(${fields}[9] = '-', -1, 1) * (n[10] * 60 + n[11]) * 60000000`;
  const isOfDays = days === null ? '' : ` AND substring(${text}, 6, 5) IN ${params.strings([...days])}`;
  const cases = [
    `isNull(${local}), false`,
    `${fields}[8] != '' OR ${fields}[9] != '', ${instantSql(params, `(${local} - ${offset})`, wanted)}`,
    `${fields}[4] = '', ${datesSql(params, local, wanted)}${isOfDays}`,
    `${rangesSql(params, local, localTimesFrom(from, timezone))} AND ` +
      `NOT ${rangesSql(params, local, localTimesFrom(to, timezone))}${isOfDays}`,
  ];
  const ofLocal = `arrayExists(${local} -> ${orFalse(`multiIf(${cases.join(', ')})`)}, [dateMicros(n)])`;
  const ofNumbers = `arrayExists(n -> ${ofLocal}, [dateNumbers(${fields})])`;
  const passes = `arrayExists(${fields} -> ${ofNumbers}, [dateFields(${text})])`;
  return orFalse(`(${mayPassSql(params, text, wanted)} AND ${passes})`);
}

function datesSql(params: Params, local: string, { from, to, timezone }: Wanted): string {
  const [first, end] = [from, to].map((instant) => firstDateFrom(instant, timezone) * DAY_MICROS);
  return `${local} >= ${params.micros(first ?? 0n)} AND ${local} < ${params.micros(end ?? 0n)}`;
}

function rangesSql(params: Params, local: string, ranges: readonly LocalRange[]): string {
  const conditions = ranges.map(({ from, to }) => {
    const begins = `${local} >= ${params.micros(from)}`;
    return to === null ? begins : `(${begins} AND ${local} < ${params.micros(to)})`;
  });
  return `(${conditions.join(' OR ')})`;
}

/**
 * What is read as text and compared first, a tenth of the work: a date is at most two days from its instant in any offset,
 * and texts are in the order of dates.
 */
function mayPassSql(params: Params, text: string, { from, to, days }: Wanted): string {
  const [first, last] = [from - 2n * DAY_MICROS, to + 3n * DAY_MICROS].map((micros) =>
    formatMicros(micros).slice(0, 10),
  );
  const lies = `${text} >= ${params.string(first ?? '')} AND ${text} < ${params.string(last ?? '')}`;
  return days === null ? lies : `${lies} AND substring(${text}, 6, 5) IN ${params.strings(aroundDays(days))}`;
}
