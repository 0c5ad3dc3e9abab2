/** Days that recur every year: birthdays, the day of a contract. Pure. */
import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { END_OF_TIME } from '../../messages/timestamp.ts';
import { dayAt, dayOfYear, isLeapYear, LEAP_DAY, monthDayOf, startOfDay, yearOf, YEARS } from './local-time.ts';

/** Days of the year, from that of the evaluation to that of this long after it. */
export interface Anniversary {
  readonly upTo: Micros;
  readonly timezone: string;
}

const YEAR = 366n * DAY_MICROS;

/** The days that have begun and not ended between `now` and the end, as `MM-DD`. Null: every day of the year. */
export function anniversaryDays({ upTo, timezone }: Anniversary, now: Micros): ReadonlySet<string> | null {
  if (upTo >= YEAR) return null;
  const key = `${upTo} ${timezone} ${now}`;
  // The events of a user are tested at one instant after another.
  if (latest.key !== key) latest = { key, days: daysBetween({ upTo, timezone }, now) };
  return latest.days;
}

let latest: { readonly key: string; readonly days: ReadonlySet<string> } = { key: '', days: new Set() };

function daysBetween({ upTo, timezone }: Anniversary, now: Micros): ReadonlySet<string> {
  const [first, last] = [dayAt(now, timezone), dayAt(now + upTo, timezone)];
  const days = new Set<string>();
  for (let day = first; day <= last; day++) {
    const monthDay = monthDayOf(day);
    days.add(monthDay);
    if (monthDay === '02-28' && !isLeapYear(yearOf(day))) days.add(LEAP_DAY);
  }
  return days;
}

/** The days on which these may be written: two days away in another offset, three by the calendar of a leap year. */
export function aroundDays(days: ReadonlySet<string>): readonly string[] {
  const around = [...days].flatMap((monthDay) =>
    [-3n, -2n, -1n, 0n, 1n, 2n, 3n].map((shift) => monthDayOf(dayOfYear(2000, monthDay) + shift)),
  );
  return [...new Set(around)];
}

/** When these days of every year begin and end. */
export interface YearlySpans {
  readonly starts: readonly Micros[];
  readonly ends: readonly Micros[];
}

export function yearlySpans(days: ReadonlySet<string>, timezone: string): YearlySpans {
  const starts: Micros[] = [];
  const ends: Micros[] = [];
  for (const year of YEARS) {
    const numbers = [...days]
      .filter((monthDay) => monthDay !== LEAP_DAY || isLeapYear(year))
      .map((monthDay) => dayOfYear(year, monthDay))
      .sort((one, other) => Number(one - other));
    for (const [index, day] of numbers.entries()) {
      if (numbers[index - 1] !== day - 1n) starts.push(startOfDay(day, timezone));
      if (numbers[index + 1] !== day + 1n) ends.push(startOfDay(day + 1n, timezone));
    }
  }
  return { starts, ends };
}

/** The instants after `now` at which this day of the year comes to count, or no longer does. */
export function anniversaryMoments(monthDay: string, { upTo, timezone }: Anniversary, now: Micros): readonly Micros[] {
  if (upTo >= YEAR) return [];
  const from = yearOf(dayAt(now, timezone)) - 1;
  return YEARS.filter((year) => year >= from)
    .map((year) => dayOfYear(year, monthDay))
    .flatMap((day) => [startOfDay(day, timezone) - upTo, startOfDay(day + 1n, timezone)])
    .filter((instant) => instant > now && instant < END_OF_TIME);
}
