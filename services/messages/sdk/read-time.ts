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
  const micros = certainTime(given, timezone);
  if (micros === undefined) return { text: undefined, wrong: `${parsed?.message ?? 'is not a text'}: left out` };
  const text = formatMicros(micros);
  return { text, wrong: `is taken as ${text}` };
}

function certainTime(given: unknown, timezone: string): bigint | undefined {
  const text = typeof given === 'string' ? given.trim() : numberText(given);
  if (/^\d{9,20}(?:\.\d{1,9})?$/.test(text)) return epochTime(Number(text));
  const parsed = parseTimestamp(withoutSlips(text), timezone);
  return parsed.ok ? parsed.micros : undefined;
}

function numberText(given: unknown): string {
  return typeof given === 'number' || JSON.isRawJSON(given) ? JSON.stringify(given) : '';
}

/** A space for the `T`, or before the offset, and a colon before the `Z`. */
function withoutSlips(text: string): string {
  return text.replace(/^(\S{10}) +/, '$1T').replace(/[: ]+([Zz]|[+-]\d\d:?\d\d)$/, '$1');
}

/** From 1973 on, when a second had nine digits, and as far as the service knows: no two units overlap. */
const [FIRST_S, LAST_S] = [1e8, 10_413_792_000];
const UNITS_A_SECOND = [1, 1e3, 1e6, 1e9];

function epochTime(time: number): bigint | undefined {
  const unit = UNITS_A_SECOND.find((each) => time / each >= FIRST_S && time / each < LAST_S);
  return unit === undefined ? undefined : BigInt(Math.floor(time * (1e6 / unit)));
}
