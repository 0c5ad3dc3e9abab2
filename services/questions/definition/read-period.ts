import type { Micros } from '../../messages/message.ts';
import { parseTimestamp } from '../../messages/timestamp.ts';
import type { Instant, Period } from './audience.ts';
import type { Reading } from './reading.ts';

const DURATION = /^(\d{1,6})([hdw])$/;
const AHEAD = '+';
const HOUR: Micros = 3_600_000_000n;
const UNITS: Readonly<Record<string, Micros>> = { h: HOUR, d: 24n * HOUR, w: 7n * 24n * HOUR };

/** Up to the evaluation, that instant included. */
const NOW: Instant = { ago: -1n };

export const PERIOD_KEYS = ['last', 'between', 'since', 'before'] as const;
type PeriodKey = (typeof PERIOD_KEYS)[number];

/** Events lie in the past: only dates may be compared with instants after the evaluation, such as `+7d`. */
interface InstantOptions {
  readonly mayBeAhead: boolean;
}

/** One of `last` (a duration), `between` (two instants), `since` and `before` (an instant). */
export function readPeriod(reading: Reading, value: unknown, path: string): Period | undefined {
  const period = reading.object(value, path);
  if (!period) return undefined;
  reading.onlyKeys(period, PERIOD_KEYS, path);
  const [key, ...others] = PERIOD_KEYS.filter((known) => Object.hasOwn(period, known));
  if (key === undefined || others.length > 0) return reading.refuse(path, `needs one of ${PERIOD_KEYS.join(', ')}`);
  return readPeriodBy(reading, key, period[key], `${path}/${key}`, { mayBeAhead: false });
}

export function readPeriodBy(
  reading: Reading,
  key: PeriodKey,
  value: unknown,
  path: string,
  options: InstantOptions,
): Period | undefined {
  if (key === 'between') return readBetween(reading, value, path, options);
  if (key === 'last') {
    const ago = readDuration(reading, value, path);
    return ago === undefined ? undefined : { from: { ago }, to: NOW };
  }
  const instant = readInstant(reading, value, path, options);
  if (!instant) return undefined;
  return key === 'since' ? { from: instant, to: null } : { from: null, to: instant };
}

/** From the evaluation up to this long after it, both included. */
export function readNext(reading: Reading, value: unknown, path: string): Period | undefined {
  const ahead = readDuration(reading, value, path);
  return ahead === undefined ? undefined : { from: { ago: 0n }, to: { ago: -ahead - 1n } };
}

function readBetween(reading: Reading, value: unknown, path: string, options: InstantOptions): Period | undefined {
  if (!Array.isArray(value) || value.length !== 2) return reading.refuse(path, 'is not a list of two times');
  const [from, to] = value.map((instant, index) => readInstant(reading, instant, `${path}/${index}`, options));
  if (!from || !to) return undefined;
  const isEmpty =
    ('at' in from && 'at' in to && from.at >= to.at) || ('ago' in from && 'ago' in to && from.ago <= to.ago);
  return isEmpty ? reading.refuse(path, 'ends before it begins') : { from, to };
}

/** A date-time, or a duration before the evaluation. */
function readInstant(
  reading: Reading,
  value: unknown,
  path: string,
  { mayBeAhead }: InstantOptions,
): Instant | undefined {
  if (typeof value !== 'string') return reading.refuse(path, 'is not a string');
  if (mayBeAhead && value.startsWith(AHEAD) && DURATION.test(value.slice(1))) {
    const ahead = readDuration(reading, value.slice(1), path);
    return ahead === undefined ? undefined : { ago: -ahead };
  }
  if (DURATION.test(value)) {
    const ago = readDuration(reading, value, path);
    return ago === undefined ? undefined : { ago };
  }
  const parsed = parseTimestamp(value, reading.timezone);
  return parsed.ok ? { at: parsed.micros } : reading.refuse(path, `${parsed.message}, nor a duration such as 30d`);
}

/** The text of hours, days or weeks; not none of them. */
export function readDuration(reading: Reading, value: unknown, path: string): Micros | undefined {
  const [, count = '', unit = ''] = (typeof value === 'string' && DURATION.exec(value)) || [];
  const micros = BigInt(count) * (UNITS[unit] ?? 0n);
  return micros > 0n
    ? micros
    : reading.refuse(path, 'is not a duration in hours, days or weeks, such as 12h, 30d or 4w');
}
