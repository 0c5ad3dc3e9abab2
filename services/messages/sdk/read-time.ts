import { isDateOfDigits, readCertainTime } from '../certain-time.ts';
import { formatMicros, parseTimestamp } from '../timestamp.ts';

export interface ReadTime {
  /** As `parseTimestamp` reads it; undefined where it cannot be read. */
  readonly text: string | undefined;
  /** What was done to it; undefined where it is as it was. */
  readonly wrong: string | undefined;
}

/**
 * A time as SDKs may send it: ISO-8601, or what can mean but one instant, as epoch seconds, milliseconds, microseconds and
 * nanoseconds, which their size tells apart.
 */
export function readTime(given: unknown, timezone: string): ReadTime {
  const parsed = typeof given === 'string' ? parseTimestamp(given, timezone) : undefined;
  if (parsed?.ok === true) return { text: given as string, wrong: undefined };
  const digits = typeof given === 'string' ? given : numberText(given);
  const certain = readCertainTime(digits, timezone);
  if (certain === undefined) {
    const why = isDateOfDigits(digits) ? 'may be a date in digits alone' : (parsed?.message ?? 'is not a text');
    return { text: undefined, wrong: `${why}: left out` };
  }
  const text = formatMicros(certain.micros);
  return { text, wrong: `is taken as ${text}` };
}

function numberText(given: unknown): string {
  return typeof given === 'number' || JSON.isRawJSON(given) ? JSON.stringify(given) : '';
}
