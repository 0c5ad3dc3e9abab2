/** ISO-8601 ⇄ microseconds since 1970. */

import { Temporal } from 'temporal-polyfill';
import type { Micros } from './message.ts';

export type ParsedTimestamp =
  { readonly ok: true; readonly micros: Micros } | { readonly ok: false; readonly message: string };

/** The instants that the service knows: from `EARLIEST` (inclusive) to `END_OF_TIME` (exclusive). */
export const EARLIEST: Micros = BigInt(Date.UTC(1900, 0)) * 1000n;
export const END_OF_TIME: Micros = BigInt(Date.UTC(2300, 0)) * 1000n;

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?)?$/;

/** The same as databases and programs write it: a space for the `T`, one or a colon before the offset, `UTC` for `Z`. */
const WRITTEN =
  /^(\d{4})-(\d\d)-(\d\d)(?:(?:[Tt]| +)(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[: ]*(?:([Zz]|UTC|GMT)|([+-])(\d\d)(?::?(\d\d))?))?)?$/;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTE_MS = 60_000;

const NOT_A_DATE_TIME = {
  ok: false,
  message: 'is not an ISO-8601 date-time, as in 2026-11-20T10:15:00.123456+02:00',
} as const;
const NOT_ON_THE_CALENDAR = { ok: false, message: 'is not on the calendar' } as const;
const NOT_ON_THE_CLOCK = { ok: false, message: 'is not on the clock' } as const;
const OUT_OF_RANGE = { ok: false, message: 'is before 1900 or after 2299 in UTC' } as const;

/** A calendar date and a time of day, and how far that clock was from UTC; `offsetMs` is undefined if the text has none. */
interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly microsecond: number;
  readonly isDateAlone: boolean;
  readonly offsetMs: number | undefined;
}

/**
 * Reads a timestamp. Without an offset it is local time in `timezone`: skipped by daylight saving, it moves forward by
 * the gap; occurring twice, it is the earlier. A date alone is its first instant there. Kept to the microsecond, the
 * rest cut off. `timezone` must be one (`isTimezone`).
 */
export function parseTimestamp(text: string, timezone: string): ParsedTimestamp {
  return parseMatch(DATE_TIME.exec(text), timezone);
}

/** As `parseTimestamp`, of a time as databases write it too. `dateFields` of questions/sql/functions.ts reads the same. */
export function parseWrittenTime(text: string, timezone: string): ParsedTimestamp {
  return parseMatch(WRITTEN.exec(text), timezone);
}

function parseMatch(match: RegExpExecArray | null, timezone: string): ParsedTimestamp {
  if (match === null) return NOT_A_DATE_TIME;
  const fields = fieldsOf(match);
  if (!isOnTheCalendar(fields)) return NOT_ON_THE_CALENDAR;
  if (!isOnTheClock(fields, match)) return NOT_ON_THE_CLOCK;
  // Before anything counts with the year: Date.UTC reads 0 to 99 as 1900 to 1999. A day's play for the offset.
  if (fields.year < 1899 || fields.year > 2300) return OUT_OF_RANGE;
  const micros = instantMs(fields, timezone) * 1000n + BigInt(fields.microsecond);
  return micros < EARLIEST || micros >= END_OF_TIME ? OUT_OF_RANGE : { ok: true, micros };
}

/** RFC 3339 in UTC with `Z` and six digits of a second. */
export function formatMicros(micros: Micros): string {
  const microsecond = Number(((micros % 1000n) + 1000n) % 1000n);
  const ms = Number((micros - BigInt(microsecond)) / 1000n);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(microsecond).padStart(3, '0')}Z`;
}

/** The instant at a number of milliseconds since 1970, whose fraction is dropped. */
export function microsAt(ms: number): Micros {
  return BigInt(Math.floor(ms)) * 1000n;
}

/** As `formatMicros`, of milliseconds since 1970. */
export function formatMs(ms: number): string {
  return formatMicros(microsAt(ms));
}

/** Whether this names an IANA time zone that the machine knows. An offset is not a time zone. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function fieldsOf(match: RegExpExecArray): Fields {
  const [, year, month, day, hour, minute = '0', second = '0', fraction = '', z, sign, hours, minutes = '0'] = match;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? '0'),
    minute: Number(minute),
    // A leap second, which no clock of ours counts.
    second: second === '60' ? 59 : Number(second),
    microsecond: Number(fraction.slice(0, 6).padEnd(6, '0')),
    isDateAlone: hour === undefined,
    offsetMs: z === undefined ? offsetOf(sign, offsetMs) : 0,
  };
}

function offsetOf(sign: string | undefined, ms: number): number | undefined {
  if (sign === undefined) return undefined;
  return sign === '-' ? -ms : ms;
}

function isOnTheCalendar({ year, month, day }: Fields): boolean {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeapYear ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

function isOnTheClock({ hour, minute, second }: Fields, match: RegExpExecArray): boolean {
  const [offsetHours = '0', offsetMinutes = '0'] = match.slice(10, 12);
  return hour < 24 && minute < 60 && second < 60 && Number(offsetHours) < 24 && Number(offsetMinutes) < 60;
}

/** Milliseconds since 1970 of the whole second. */
function instantMs(fields: Fields, timezone: string): bigint {
  if (fields.offsetMs === undefined && timezone !== 'UTC') return BigInt(localMs(fields, timezone));
  const { year, month, day, hour, minute, second, offsetMs = 0 } = fields;
  return BigInt(Date.UTC(year, month - 1, day, hour, minute, second) - offsetMs);
}

function localMs(fields: Fields, timezone: string): number {
  const local = fields.isDateAlone
    ? Temporal.PlainDate.from(fields).toZonedDateTime(timezone)
    : Temporal.PlainDateTime.from({ ...fields, microsecond: 0 }).toZonedDateTime(timezone, {
        disambiguation: 'compatible',
      });
  return local.epochMilliseconds;
}
