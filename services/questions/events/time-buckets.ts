/** Hours, days and weeks of a time zone, as buckets of a period. Pure. */
import { Temporal } from 'temporal-polyfill';
import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';

export type Interval = 'hour' | 'day' | 'week';

/** From `from` (inclusive) to `to` (exclusive). */
export interface Span {
  readonly from: Micros;
  readonly to: Micros;
}

export interface Bucket {
  /** Its first instant within the period. */
  readonly start: Micros;
  /** Offset of the time zone at its start. */
  readonly offsetMicros: Micros;
}

/**
 * A part of the period in which the offset of the time zone stays the same: the bucket of an instant is
 * `(instant - origin) / unit`, rounded down, plus `first`.
 */
export interface Segment {
  readonly end: Micros;
  readonly origin: Micros;
  readonly first: number;
}

export interface TimeBuckets {
  readonly unitMicros: Micros;
  readonly buckets: readonly Bucket[];
  readonly segments: readonly Segment[];
}

/** The most buckets that a period may have: the hours of 100 days. */
export const MAX_BUCKETS = 2_400;

const INTERVAL_MICROS: Readonly<Record<Interval, Micros>> = {
  hour: DAY_MICROS / 24n,
  day: DAY_MICROS,
  week: 7n * DAY_MICROS,
};
// 1970-01-01 was a Thursday: weeks begin three days before.
const WEEK_SHIFT = 3n * DAY_MICROS;

/**
 * The buckets of a period; undefined where they are more than `MAX_BUCKETS`. An hour is known by its number on the clock
 * and its offset, so that a repeated hour is two buckets and a skipped one none. Days and weeks (from Monday) are those of
 * the local calendar, of 23 or 25 hours where the clock is changed.
 */
export function timeBuckets({ from, to }: Span, interval: Interval, timezone: string): TimeBuckets | undefined {
  const unitMicros = INTERVAL_MICROS[interval];
  if (to - from > BigInt(MAX_BUCKETS + 1) * unitMicros) return undefined;
  const buckets: Bucket[] = [];
  const segments: Segment[] = [];
  /** The bucket of each local day or week. */
  const numbers = new Map<bigint, number>();
  for (const { start, end, offset } of offsetsWithin({ from, to }, timezone)) {
    const shift = offset + (interval === 'week' ? WEEK_SHIFT : 0n);
    const firstUnit = floorDiv(start + shift, unitMicros);
    const first = (interval === 'hour' ? undefined : numbers.get(firstUnit)) ?? buckets.length;
    segments.push({ end, origin: firstUnit * unitMicros - shift, first });
    for (let unit = firstUnit; unit * unitMicros - shift < end; unit++) {
      if (interval !== 'hour' && numbers.has(unit)) continue;
      const begins = unit * unitMicros - shift;
      numbers.set(unit, buckets.length);
      buckets.push({ start: begins < start ? start : begins, offsetMicros: offset });
    }
  }
  return buckets.length > MAX_BUCKETS ? undefined : { unitMicros, buckets, segments };
}

/**
 * The period before this one. By days or weeks it is as long on the clock of the time zone, so that its days pair with
 * those of this period whatever was changed in between; otherwise it is as long in elapsed time.
 */
export function spanBefore({ from, to }: Span, interval: Interval | null, timezone: string): Span {
  if (interval === null || interval === 'hour') return { from: from - (to - from), to: from };
  const [local, end] = [from, to].map((instant) => instant + offsetAt(instant, timezone));
  if (local === undefined || end === undefined) throw new Error('two instants have two times on the clock');
  return { from: instantOf(local - (end - local), timezone), to: from };
}

/** The last days of the calendar of a time zone up to an instant, that of the instant among them. */
export function lastDays(count: number, to: Micros, timezone: string): TimeBuckets | undefined {
  const today = floorDiv(to + offsetAt(to, timezone), DAY_MICROS);
  const from = instantOf((today - BigInt(count - 1)) * DAY_MICROS, timezone);
  return timeBuckets({ from, to: to + 1n }, 'day', timezone);
}

/** The same time on the clock of the time zone, a week before. */
export function weekBefore(instant: Micros, timezone: string): Micros {
  return instantOf(instant + offsetAt(instant, timezone) - INTERVAL_MICROS.week, timezone);
}

/** The days of the buckets of a calendar: `YYYY-MM-DD`. */
export function dayNames({ buckets }: TimeBuckets): readonly string[] {
  return buckets.map(({ start, offsetMicros }) => formatMicros(start + offsetMicros).slice(0, 10));
}

interface OffsetRange {
  readonly start: Micros;
  readonly end: Micros;
  readonly offset: Micros;
}

function* offsetsWithin({ from, to }: Span, timezone: string): Generator<OffsetRange> {
  for (let start = from; start < to;) {
    // The offset of a millisecond is that of its first microsecond: changes are on whole seconds.
    const zoned = zonedAt(start, timezone);
    const next = zoned.getTimeZoneTransition('next')?.epochMilliseconds;
    const end = next === undefined || BigInt(next) * 1000n > to ? to : BigInt(next) * 1000n;
    yield { start, end, offset: BigInt(zoned.offsetNanoseconds) / 1000n };
    start = end;
  }
}

export function offsetAt(instant: Micros, timezone: string): Micros {
  return BigInt(zonedAt(instant, timezone).offsetNanoseconds) / 1000n;
}

function zonedAt(instant: Micros, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochNanoseconds(instant * 1000n).toZonedDateTimeISO(timezone);
}

/** The instant of a local time, given as if it were UTC. */
function instantOf(local: Micros, timezone: string): Micros {
  const plain = zonedAt(local, 'UTC').toPlainDateTime();
  return plain.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochNanoseconds / 1000n;
}

export function floorDiv(value: bigint, by: bigint): bigint {
  return (value - (((value % by) + by) % by)) / by;
}
