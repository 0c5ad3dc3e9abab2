import type { Micros } from './message.ts';

export const DAY_MICROS: Micros = 86_400_000_000n;

/** The day of UTC in which an instant lies: whole days since 1970, negative before. */
export function dayOf(instant: Micros): bigint {
  // The remainder has the sign of the instant: this rounds down before 1970 too.
  return (instant - (((instant % DAY_MICROS) + DAY_MICROS) % DAY_MICROS)) / DAY_MICROS;
}
