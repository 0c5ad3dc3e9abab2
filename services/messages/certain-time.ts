/** Times that are not ISO-8601 and yet can mean but one instant. Pure. */
import type { Micros } from './message.ts';
import { parseTimestamp, parseWrittenTime } from './timestamp.ts';

/** How many of them a second has. */
export const EPOCH_UNITS = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n } as const;

export type EpochUnit = keyof typeof EPOCH_UNITS;

export interface CertainTime {
  readonly micros: Micros;
  /** Undefined where it is a date. */
  readonly unit: EpochUnit | undefined;
}

/** Reads epoch times, whose size tells their unit, and dates that differ from ISO-8601 by a slip. */
export function readCertainTime(given: string, timezone: string): CertainTime | undefined {
  const text = given.trim();
  const [, whole, fraction = ''] = /^(\d{9,20})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole !== undefined) return isDateOfDigits(whole) ? undefined : epochTime(whole, fraction);
  const parsed = parseWrittenTime(text, timezone);
  return parsed.ok ? { micros: parsed.micros, unit: undefined } : undefined;
}

/** `YYYYMMDD`, perhaps `HH`, `mm`, `ss` and a fraction. */
const DATE_OF_DIGITS = /^(?<date>(?:19[7-9]|20\d)\d{5})(?:(?<hour>\d\d)(?:(?<minute>\d\d)(?:(?<second>\d\d)\d*)?)?)?$/;

/**
 * Whether digits may be a date from 1970 to 2099 without its signs: 2026112010 is 10 o'clock on 20 November 2026, and a
 * second of 2034. Until 2032 no time in seconds reads so, and none in milliseconds from after 1976.
 */
export function isDateOfDigits(digits: string): boolean {
  const { date = '', hour = '00', minute = '00', second = '00' } = DATE_OF_DIGITS.exec(digits.trim())?.groups ?? {};
  const day = date.replace(/^(....)(..)/, '$1-$2-');
  return parseTimestamp(`${day}T${hour}:${minute}:${second}`, 'UTC').ok;
}

/** From 1973 on, when a second had nine digits, and as far as the service knows: no two units overlap. */
const [FIRST_S, LAST_S] = [100_000_000n, 10_413_792_000n];
const UNITS_BY_SIZE = Object.keys(EPOCH_UNITS) as readonly EpochUnit[];

function epochTime(whole: string, fraction: string): CertainTime | undefined {
  const seconds = (unit: EpochUnit): bigint => BigInt(whole) / EPOCH_UNITS[unit];
  const unit = UNITS_BY_SIZE.find((each) => seconds(each) >= FIRST_S && seconds(each) < LAST_S);
  return unit === undefined ? undefined : { micros: epochMicros(whole, fraction, unit), unit };
}

/** Digit for digit: a double would round the microseconds. @param fraction Up to nine digits behind the point. */
export function epochMicros(whole: string, fraction: string, unit: EpochUnit): Micros {
  return (BigInt(whole + fraction.padEnd(9, '0')) * 1_000_000n) / (EPOCH_UNITS[unit] * 1_000_000_000n);
}
