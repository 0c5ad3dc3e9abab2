/** Local times and days of a time zone. ClickHouse is given ranges, and needs no time zones of its own. Pure. */
import { Temporal } from 'temporal-polyfill';
import { DAY_MICROS, dayOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME, formatMicros } from '../../messages/timestamp.ts';
import { offsetAt } from '../events/time-buckets.ts';

/** Times on a clock, as microseconds of a clock of UTC: from `from` (inclusive) to `to` (exclusive; null: open). */
export interface LocalRange {
  readonly from: Micros;
  readonly to: Micros | null;
}

/** Days since 1970. */
type Day = bigint;

// No clock was ever changed by more than a day.
const LONGEST_CHANGE = 26n * 3_600_000_000n;

/** The local times that `parseTimestamp` reads as this instant or a later one. */
export function localTimesFrom(instant: Micros, timezone: string): readonly LocalRange[] {
  const offset = offsetAt(instant, timezone);
  const before = offsetAt(instant - LONGEST_CHANGE, timezone);
  const open = { from: instant + offset, to: null };
  if (before === offset) return [open];
  const changed = lastChange(instant, timezone);
  // Times that occur twice are those of the first time.
  if (before > offset) return [{ from: open.from > changed + before ? open.from : changed + before, to: null }];
  // Times that were skipped are read by the offset before.
  const skipped = { from: instant + before, to: changed + offset };
  return skipped.from < skipped.to ? [skipped, open] : [open];
}

/** When the offset that counts at this instant began to. */
function lastChange(instant: Micros, timezone: string): Micros {
  const offset = offsetAt(instant, timezone);
  let [earlier, later] = [instant - LONGEST_CHANGE, instant];
  while (later - earlier > 1n) {
    const middle = (earlier + later) / 2n;
    if (offsetAt(middle, timezone) === offset) later = middle;
    else earlier = middle;
  }
  return later;
}

/** The earliest date that `parseTimestamp` reads as this instant or a later one. */
export function firstDateFrom(instant: Micros, timezone: string): Day {
  let day = dayOf(instant + offsetAt(instant, timezone));
  while (startOfDay(day, timezone) < instant) day++;
  while (startOfDay(day - 1n, timezone) >= instant) day--;
  return day;
}

/** The first instant of a day. */
export function startOfDay(day: Day, timezone: string): Micros {
  if (timezone === 'UTC') return day * DAY_MICROS;
  const date = Temporal.Instant.fromEpochNanoseconds(day * DAY_MICROS * 1000n)
    .toZonedDateTimeISO('UTC')
    .toPlainDate();
  return date.toZonedDateTime(timezone).epochNanoseconds / 1000n;
}

/** The day of this instant: the last that has begun. */
export function dayAt(instant: Micros, timezone: string): Day {
  const day = dayOf(instant + offsetAt(instant, timezone));
  return startOfDay(day + 1n, timezone) <= instant ? day + 1n : day;
}

/** `MM-DD` */
export function monthDayOf(day: Day): string {
  return formatMicros(day * DAY_MICROS).slice(5, 10);
}

export function yearOf(day: Day): number {
  return Number(formatMicros(day * DAY_MICROS).slice(0, 4));
}

/** The day of this month and day in a year. 29 February is 28 February in years that do not have it. */
export function dayOfYear(year: number, monthDay: string): Day {
  const isMissing = monthDay === LEAP_DAY && !isLeapYear(year);
  const [month, day] = (isMissing ? '02-28' : monthDay).split('-').map(Number);
  return BigInt(Date.UTC(year, (month ?? 1) - 1, day)) / 86_400_000n;
}

export const LEAP_DAY = '02-29';

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The years in which an instant that the service knows may be, in any time zone. */
export const YEARS: readonly number[] = Array.from(
  { length: yearOf(dayOf(END_OF_TIME)) - yearOf(dayOf(EARLIEST)) + 2 },
  (_, index) => yearOf(dayOf(EARLIEST)) - 1 + index,
);
