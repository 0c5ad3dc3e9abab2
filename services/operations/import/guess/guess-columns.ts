/** Which columns are the user, the event and the time: by their names and their values. Pure. */
import { isDateOfDigits } from '../../../messages/certain-time.ts';
import type { ImportPreview } from '../import-options.ts';
import { MEMBERS } from '../mapping/mapping.ts';
import { readImportedTime } from '../times/read-time.ts';

/** A column of CSV or a member of records, with what stands in the first of them. */
export interface SeenColumn {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** As `plainName` has them, the likeliest first. */
const USERS = [
  /^user_id$/,
  /^(?:distinct|external|external_user)_id$/,
  /^(?:customer|client|person|member|visitor|profile|contact|subscriber)_id$/,
  /^account_id$/,
  /^uid$/,
  /^e_?mail(?:_?address)?$/,
  /^(?:user|customer|contact|person|primary)_e_?mail(?:_address)?$/,
  /^(?:user|customer|client|person|member|account|visitor|profile|contact)$/,
];
const EVENTS = [/^event$/, /^event_?(?:name|type)$/, /^(?:action|activity)(?:_?(?:name|type))?$/, /^what$/];
/** When something took place. */
const TIMES = [
  /^timestamp$/,
  /^(?:event_?)?(?:time|date_?time|ts)$/,
  /^(?:occurred|created|happened|sent)_?(?:at|on)$|^at$/,
  /^(?:event_)?date$/,
  /^(?:created|create)_date$/,
];
/** As of when a profile is. The day of a sign-up is not: it stays a trait. */
const AS_OF = [
  /^timestamp$/,
  /^as_of$/,
  /^(?:last_)?(?:updated?|modified|changed)(?:_?(?:at|on|date|time))?$/,
  /^(?:date|time)_(?:updated|modified|changed)$/,
];
const MESSAGES = [/^message_?id$/, /^event_?id$/, /^(?:uu|gu)id$/];
/** Times of a user's life, and of what is to come, which are not those of an event. */
const OTHER_TIMES =
  /(?:sign|regist|join|birth|opt_?in|confirm|subscri|first|last|trial|renew|expir|due|until|updated|modified|changed)/;

/** A table has fewer columns, and no name is longer: what a caller sends may be neither. */
const MOST_COLUMNS = 1_000;
const MOST_LETTERS = 512;

/** The last part of a path, in small letters, with a sign for each blank, and without a remark as `(UTC)`. */
export function plainName(name: string): string {
  const last =
    name
      .slice(-MOST_LETTERS)
      .replace(/\s*\([^)]*\)\s*$/, '')
      .split('.')
      .at(-1) ?? '';
  const words = last.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N}]+/gu, '_').replaceAll(/^_|_$/g, '');
}

/**
 * Columns that are not called so already, by what each fills; the type, null where neither the event nor the user is to be
 * seen; the forms of times, several where nobody can say which, none where times are read without one.
 *
 * @param knownEvents Names of events that the project has.
 */
export function guessColumns(
  all: readonly SeenColumn[],
  knownEvents: ReadonlySet<string>,
): Pick<ImportPreview['guess'], 'map' | 'type' | 'time_formats'> {
  const columns = all.slice(0, MOST_COLUMNS).filter(({ name }) => name.length <= MOST_LETTERS);
  const user = columnNamed(columns, USERS);
  const eventTime = columnNamed(columns, TIMES, isTimes) ?? columns.find(isOnlyTime);
  const hasEvents = (column: SeenColumn): boolean =>
    column !== user && isMostly(column, (text) => knownEvents.has(text));
  const event = columnNamed(columns, EVENTS) ?? (eventTime && columns.find(hasEvents));
  const type = event !== undefined ? 'track' : user !== undefined ? 'identify' : null;
  const time = type === 'identify' ? columnNamed(columns, AS_OF, isTimes) : eventTime;
  const found = { user_id: user, event, timestamp: time, message_id: columnNamed(columns, MESSAGES) };
  const pairs = Object.entries(found).flatMap(([member, column]) =>
    column === undefined || MEMBERS.includes(column.name) ? [] : [[column.name, member] as const],
  );
  return { map: Object.fromEntries(pairs), type, time_formats: time === undefined ? [] : formatsOf(time) };
}

function columnNamed(
  columns: readonly SeenColumn[],
  names: readonly RegExp[],
  fits: (column: SeenColumn) => boolean = () => true,
): SeenColumn | undefined {
  for (const name of names) {
    const found = columns.find((column) => name.test(plainName(column.name)) && fits(column));
    if (found !== undefined) return found;
  }
  return undefined;
}

export function textsOf({ values }: SeenColumn): readonly string[] {
  return values.filter((value) => value !== null && value !== undefined && value !== '').map(String);
}

/** Whether most of its values are times, or dates in an order that is to be said. */
function isTimes(column: SeenColumn): boolean {
  return isMostly(
    column,
    (text) =>
      readImportedTime(text, { timezone: 'UTC' }).ok || DATE.test(text) || isExcelDay(text) || isDateOfDigits(text),
  );
}

function isMostly(column: SeenColumn, is: (text: string) => boolean): boolean {
  const texts = textsOf(column);
  return texts.length > 0 && texts.filter(is).length >= texts.length * 0.8;
}

/** Without a name that says it: no numbers, and no members of members. */
function isOnlyTime(column: SeenColumn): boolean {
  const isOther = column.name.includes('.') || OTHER_TIMES.test(plainName(column.name));
  return !isOther && isTimes(column) && !isNumbers(column);
}

function isNumbers(column: SeenColumn): boolean {
  return textsOf(column).every((text) => /^[\d.]+$/.test(text) && !DATE.test(text));
}

const DATE = /^(\d{1,2})([./-])(\d{1,2})\2\d{4}(?:( )\d{1,2}:\d\d(:\d\d)?( ?[AaPp][Mm])?)?$/;

/** From 1970 to 2100. */
function isExcelDay(text: string): boolean {
  return /^\d{5}(?:\.\d+)?$/.test(text) && Number(text) > 25_569 && Number(text) < 73_050;
}

/** Told by a day over the twelfth; without one there are two. */
function formatsOf(column: SeenColumn): readonly string[] {
  const texts = textsOf(column);
  if (texts.every(isExcelDay)) return ['excel'];
  const [{ length } = ''] = texts;
  if (texts.every((text) => text.length === length && isDateOfDigits(text))) return ['YYYYMMDDHHmmss'.slice(0, length)];
  const dates = texts.map((text) => DATE.exec(text)).filter((match) => match !== null);
  const [first] = dates;
  if (first === undefined || dates.length < texts.length * 0.8) return [];
  const [, , dash = '/', , blank, seconds, half] = first;
  const isDayFirst = dates.some(([, one]) => Number(one) > 12);
  const isMonthFirst = dates.some(([, , , two]) => Number(two) > 12);
  const hour = `${half === undefined ? 'HH' : 'hh'}:mm${seconds === undefined ? '' : ':ss'}`;
  const clock = `${hour}${half === undefined ? '' : half.startsWith(' ') ? ' A' : 'A'}`;
  return [...(isMonthFirst ? [] : [['DD', 'MM', 'YYYY']]), ...(isDayFirst ? [] : [['MM', 'DD', 'YYYY']])].map(
    (date) => `${date.join(dash)}${blank === undefined ? '' : ` ${clock}`}`,
  );
}
