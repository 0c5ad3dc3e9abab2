/** Times as databases and products write them, which imports alone take. Pure. */
import { type EpochUnit, isDateOfDigits, readCertainTime } from '../../../messages/certain-time.ts';
import type { JsonBody } from '../../../messages/json.ts';
import type { Problem } from '../../../messages/message.ts';
import { isObject } from '../../../messages/sdk/sdk-call.ts';
import { formatMicros, parseTimestamp } from '../../../messages/timestamp.ts';
import { timeReader } from './time-format.ts';

export interface TimeOptions {
  /** Where a time without an offset is local. */
  readonly timezone: string;
  /** As `timeReader` takes it; without one times are read by their form. */
  readonly timeFormat?: string | undefined;
}

/** What a time was taken for, for people. */
export type TimeForm = 'ISO 8601' | 'date and time' | `epoch ${string}` | `as ${string}`;

export type ImportedTime =
  | { readonly ok: true; readonly text: string; readonly form: TimeForm }
  | { readonly ok: false; readonly message: string };

const UNIT_NAMES: Readonly<Record<EpochUnit, TimeForm>> = {
  s: 'epoch seconds',
  ms: 'epoch milliseconds',
  us: 'epoch microseconds',
  ns: 'epoch nanoseconds',
};
const NOT_TEXT = 'is neither a text nor a number';
const EITHER_ORDER =
  'may be day before month or month before day: say which by the format of times, as in DD/MM/YYYY HH:mm';
const DIGITS_ALONE =
  'may be a date in digits alone, or a time since 1970: say which by the format of times, as in YYYYMMDDHH, s or ms';

/** Why a time could be either of two. */
function ambiguityIn(text: string): string | undefined {
  if (/^\s*\d{1,2}[./-]\d{1,2}[./-]\d{4}/.test(text)) return EITHER_ORDER;
  return isDateOfDigits(text) ? DIGITS_ALONE : undefined;
}

/** @param given The member of the record, as parsed. */
export function readImportedTime(given: unknown, { timezone, timeFormat }: TimeOptions): ImportedTime {
  const text = typeof given === 'number' || JSON.isRawJSON(given) ? JSON.stringify(given) : given;
  if (typeof text !== 'string') return { ok: false, message: NOT_TEXT };
  if (timeFormat !== undefined) return readFormatted(text, timezone, timeFormat);
  const parsed = parseTimestamp(text, timezone);
  if (parsed.ok) return { ok: true, text, form: 'ISO 8601' };
  const certain = readCertainTime(text, timezone);
  if (certain === undefined) return { ok: false, message: ambiguityIn(text) ?? parsed.message };
  const form = certain.unit === undefined ? 'date and time' : UNIT_NAMES[certain.unit];
  return { ok: true, text: formatMicros(certain.micros), form };
}

function readFormatted(text: string, timezone: string, format: string): ImportedTime {
  const read = timeReader(format)(text, timezone);
  if (read === undefined) return { ok: false, message: `is not of the form ${format}` };
  return read.ok ? { ok: true, text: formatMicros(read.micros), form: `as ${format}` } : read;
}

const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

/** A call whose time is one that the interface takes, or without it and with what is wrong with it. */
export interface TimedCall {
  readonly call: JsonBody;
  readonly problem: Problem | undefined;
  /** Undefined where it has none. */
  readonly form: TimeForm | undefined;
}

export function withTime(call: JsonBody, options: TimeOptions): TimedCall {
  if (!isObject(call.exact) || !Object.hasOwn(call.exact, 'timestamp'))
    return { call, problem: undefined, form: undefined };
  const given = call.exact['timestamp'];
  // What an SDK sends as null is absent; in the interface's own form it is wrong, which validation says.
  if (given === null) return { call, problem: undefined, form: undefined };
  // Nearly all are: whether it is on the calendar, validation says.
  if (typeof given === 'string' && options.timeFormat === undefined && ISO.test(given)) {
    return { call, problem: undefined, form: 'ISO 8601' };
  }
  const read = readImportedTime(given, options);
  if (read.ok && read.text === given) return { call, problem: undefined, form: read.form };
  const timed = (body: unknown): object => {
    const { timestamp: _, ...rest } = body as Readonly<Record<string, unknown>>;
    return read.ok ? { ...rest, timestamp: read.text } : rest;
  };
  const exact = timed(call.exact);
  return {
    call: { exact, plain: call.plain === call.exact ? exact : timed(call.plain) },
    problem: read.ok ? undefined : { path: '/timestamp', message: read.message },
    form: read.ok ? read.form : undefined,
  };
}
