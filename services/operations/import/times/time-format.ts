/** `--time-format`: how times are written that are no ISO-8601. Pure. */
import { EPOCH_UNITS, type EpochUnit, epochMicros } from '../../../messages/certain-time.ts';
import type { Micros } from '../../../messages/message.ts';
import { parseTimestamp, type ParsedTimestamp } from '../../../messages/timestamp.ts';
import { TidemarkError } from '../../../runtime/errors.ts';

/** Reads a time of one form. Undefined: it is not of that form. */
type TimeReader = (text: string, timezone: string) => ParsedTimestamp | undefined;

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  MMM: String.raw`(?<name>[A-Za-z]{3})[A-Za-z]*`,
  MM: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{1,2})`,
  HH: String.raw`(?<hour>\d{1,2})`,
  hh: String.raw`(?<twelve>\d{1,2})`,
  mm: String.raw`(?<minute>\d{2})`,
  ss: String.raw`(?<second>\d{2})`,
  S: String.raw`(?<fraction>\d{1,9})`,
  A: String.raw`(?<half>[AaPp])\.?[Mm]\.?`,
  Z: String.raw`(?<offset>[Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)`,
};
/** Blanks beside each other are one: `\\s+\\s+` takes a time that grows with the number of ways to share them out. */
const TOKEN = /YYYY|MMM|MM|DD|HH|hh|mm|ss|S+|A|Z|\s+|[^]/g;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const FORMS = 'It is s, ms, us, ns, excel, or a pattern of YYYY MM MMM DD HH hh mm ss S A Z, as in DD/MM/YYYY HH:mm';

/** The last one stays: one import has one. */
let compiled: { readonly format: string; readonly read: TimeReader } | undefined;

/** @throws TidemarkError `COMMAND_INVALID` where it is no format. */
export function timeReader(format: string): TimeReader {
  if (compiled?.format !== format) compiled = { format, read: readerOf(format) };
  return compiled.read;
}

function readerOf(format: string): TimeReader {
  if (format === 'excel') return readExcel;
  if (Object.hasOwn(EPOCH_UNITS, format)) return epochReader(format as EpochUnit);
  return patternReader(format);
}

function epochReader(unit: EpochUnit): TimeReader {
  return (text) => {
    const [, sign = '', whole, fraction = ''] = /^(-?)(\d{1,20})(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? [];
    return whole === undefined ? undefined : checked(epochMicros(sign + whole, fraction, unit));
  };
}

/** In the range that the service knows. */
function checked(micros: Micros): ParsedTimestamp {
  const date = new Date(Number(micros / 1_000n));
  const parsed = Number.isNaN(date.getTime()) ? undefined : parseTimestamp(date.toISOString(), 'UTC');
  if (parsed?.ok === true) return { ok: true, micros };
  return { ok: false, message: parsed?.message ?? 'is before 1900 or after 2299 in UTC' };
}

/** Excel counts days, and 1900-03-01 is its day 61. A day number has no more than milliseconds. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;

function readExcel(text: string, timezone: string): ParsedTimestamp | undefined {
  if (!/^\d{1,6}(?:\.\d+)?$/.test(text.trim())) return undefined;
  const local = new Date(EXCEL_EPOCH_MS + Math.round(Number(text) * DAY_MS)).toISOString().slice(0, -1);
  return parseTimestamp(local, timezone);
}

function patternReader(format: string): TimeReader {
  const pattern = patternOf(format);
  return (text, timezone) => {
    const groups = pattern.exec(text.trim())?.groups;
    const month = groups?.['name'] === undefined ? groups?.['month'] : monthNamed(groups['name']);
    return groups === undefined || month === undefined ? undefined : parseTimestamp(isoOf(groups, month), timezone);
  };
}

function patternOf(format: string): RegExp {
  const tokens = format.trim().match(TOKEN) ?? [];
  const names = tokens.map((token) => (token.startsWith('S') ? 'S' : token));
  const isWhole = ['YYYY', 'DD'].every((name) => names.includes(name)) && names.some((name) => /^MMM?$/.test(name));
  const unknown = names.find((name) => !Object.hasOwn(TOKENS, name) && /[A-Za-z]/.test(name) && name !== 'T');
  const known = names.filter((name) => Object.hasOwn(TOKENS, name));
  if (!isWhole || unknown !== undefined || new Set(known).size < known.length) {
    throw new TidemarkError('COMMAND_INVALID', `${JSON.stringify(format)} is no format of times. ${FORMS}.`);
  }
  const source = names.map(
    (name) => TOKENS[name] ?? (/^\s/.test(name) ? String.raw`\s+` : name.replace(/[^\w]/, String.raw`\$&`)),
  );
  return new RegExp(`^${source.join('')}$`);
}

/** English names and their first three letters. */
function monthNamed(name: string): string | undefined {
  const index = MONTHS.indexOf(name.toLowerCase());
  return index === -1 ? undefined : String(index + 1);
}

function isoOf(groups: Readonly<Record<string, string | undefined>>, month: string): string {
  const two = (digits = '0'): string => digits.padStart(2, '0');
  const { year, day, minute, second, fraction = '', offset = '' } = groups;
  const date = `${year}-${two(month)}-${two(day)}`;
  const hour = hourOfDay(groups);
  if (hour === undefined && offset === '') return date;
  const zone = /^(?:UTC|GMT)$/.test(offset) ? 'Z' : offset;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction && `.${fraction}`}${zone}`;
}

/** Twelve at night is 0, at noon 12. An hour over twelve is on no such clock. */
function hourOfDay({ hour, twelve, half = 'a' }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (twelve === undefined) return hour;
  if (Number(twelve) > 12 || Number(twelve) < 1) return '99';
  return String((Number(twelve) % 12) + (half.toLowerCase() === 'p' ? 12 : 0));
}
