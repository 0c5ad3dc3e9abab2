import type { Micros } from './message.ts';
import { EARLIEST } from './timestamp.ts';

/** An hour of UTC: whole hours since 1970, negative before. */
export type Hour = number;

export const HOUR_MICROS = 3_600_000_000n;
// The quotient of bigints is cut towards zero: counted from the earliest instant there is nothing below.
const EARLIEST_HOUR = Number(EARLIEST / HOUR_MICROS);

/** The hour in which an instant lies. */
export function hourOf(instant: Micros): Hour {
  return Number((instant - EARLIEST) / HOUR_MICROS) + EARLIEST_HOUR;
}

/** Its first instant. */
export function beginningOfHour(hour: Hour): Micros {
  return BigInt(hour) * HOUR_MICROS;
}

export const DAY_MICROS: Micros = 86_400_000_000n;

/** The day of UTC in which an instant lies: whole days since 1970, negative before. */
export function dayOf(instant: Micros): bigint {
  // The remainder has the sign of the instant: this rounds down before 1970 too.
  return (instant - (((instant % DAY_MICROS) + DAY_MICROS) % DAY_MICROS)) / DAY_MICROS;
}
