import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';
import type { Instant, Period } from './audience.ts';

/** The instant in an evaluation at `now`. */
export function microsOf(instant: Instant, now: Micros): Micros {
  const micros = 'at' in instant ? instant.at : now - instant.ago;
  // No message lies outside, and ClickHouse's dates end there.
  if (micros < EARLIEST) return EARLIEST;
  return micros >= END_OF_TIME ? END_OF_TIME - 1n : micros;
}

export function liesWithin(time: Micros, { from, to }: Period, now: Micros): boolean {
  return (from === null || time >= microsOf(from, now)) && (to === null || time < microsOf(to, now));
}

/** How far after an event's time each end of the periods that moves passes it. */
export function agesPassed(periods: readonly (Period | null)[]): readonly Micros[] {
  const ends = periods.flatMap((period) => (period === null ? [] : [period.from, period.to]));
  const ages = ends.flatMap((end) => (end !== null && 'ago' in end ? [end.ago + 1n] : []));
  return [...new Set(ages)];
}
