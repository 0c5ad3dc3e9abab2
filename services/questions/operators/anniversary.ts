/** Days that recur every year: birthdays, the day of a contract. Pure. */
import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import type { TimeSpan } from './course.ts';
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
  const [runs, runsOfLeapYears] = [runsIn(2001, days), runsIn(2000, days)];
  const starts: Micros[] = [];
  const ends: Micros[] = [];
  for (const [index, year] of YEARS.entries()) {
    for (const { first, last } of isLeapYear(year) ? runsOfLeapYears : runs) {
      starts.push(daysOfYears(first, timezone)[index]?.[0] ?? 0n);
      ends.push(daysOfYears(last, timezone)[index]?.[1] ?? 0n);
    }
  }
  return { starts, ends };
}

/** Days that follow one another. They are the same in every year that is as long. */
function runsIn(year: number, days: ReadonlySet<string>): { readonly first: string; readonly last: string }[] {
  const sorted = [...days].filter((monthDay) => monthDay !== LEAP_DAY || isLeapYear(year)).sort();
  const follows = (one = '', other = ''): boolean => dayOfYear(year, one) + 1n === dayOfYear(year, other);
  const firsts = sorted.filter((day, index) => index === 0 || !follows(sorted[index - 1], day));
  const lasts = sorted.filter((day, index) => index === sorted.length - 1 || !follows(day, sorted[index + 1]));
  return firsts.map((first, index) => ({ first, last: lasts[index] ?? first }));
}

/** When this day of the year counts, of the years from that before `now` on. Null: always. */
export function anniversarySpans(
  monthDay: string,
  { upTo, timezone }: Anniversary,
  now: Micros,
): readonly TimeSpan[] | null {
  if (upTo >= YEAR) return null;
  const from = yearOf(dayAt(now, timezone)) - 1;
  const days = daysOfYears(monthDay, timezone).slice(from - (YEARS[0] ?? from));
  return days.map(([start, end]): TimeSpan => [start - upTo, end]);
}

/** A day of the year in each of `YEARS`: in a zone other than UTC they take 5 ms to find, and a list may have thousands. */
function daysOfYears(monthDay: string, timezone: string): readonly TimeSpan[] {
  const key = `${monthDay} ${timezone}`;
  const known = knownDays.get(key);
  if (known !== undefined) return known;
  const days = YEARS.map((year): TimeSpan => {
    const day = dayOfYear(year, monthDay);
    return [startOfDay(day, timezone), startOfDay(day + 1n, timezone)];
  });
  if (knownDays.size === MAX_KNOWN_DAYS) knownDays.clear();
  knownDays.set(key, days);
  return days;
}

/** All days of the year, in one zone. */
const MAX_KNOWN_DAYS = 366;
const knownDays = new Map<string, readonly TimeSpan[]>();
