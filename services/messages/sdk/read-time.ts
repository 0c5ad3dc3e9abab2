import { readCertainTime } from '../certain-time.ts';
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
  const certain = readCertainTime(typeof given === 'string' ? given : numberText(given), timezone);
  if (certain === undefined) return { text: undefined, wrong: `${parsed?.message ?? 'is not a text'}: left out` };
  const text = formatMicros(certain.micros);
  return { text, wrong: `is taken as ${text}` };
}

function numberText(given: unknown): string {
  return typeof given === 'number' || JSON.isRawJSON(given) ? JSON.stringify(given) : '';
}
