/** Which columns are the user, the event and the time: by their names and their values. Pure. */
import type { DefaultType } from '../judge.ts';
import { MEMBERS } from '../mapping/mapping.ts';
import { readImportedTime } from '../times/read-time.ts';

/** A column of CSV or a member of records, with what stands in the first of them. */
export interface SeenColumn {
  readonly name: string;
  readonly values: readonly unknown[];
}

const NAMES: Readonly<Record<'user_id' | 'event' | 'timestamp' | 'message_id', readonly RegExp[]>> = {
  user_id: [
    /^user_?id$/i,
    /^(?:customer|client|person|member|account|visitor|profile|contact)(?:_?id)?$/i,
    /^uid$/i,
    /^user$/i,
    /^(?:e[-_ ]?)?mail(?:[-_ ]?address)?$/i,
  ],
  event: [/^event$/i, /^event_?(?:name|type)$/i, /^(?:action|activity)(?:_?(?:name|type))?$/i],
  timestamp: [
    /^timestamp$/i,
    /^(?:event_?)?(?:time|date_?time|ts)$/i,
    /^(?:occurred|created|happened|sent)_?at$/i,
    /^date$/i,
  ],
  message_id: [/^message_?id$/i, /^event_?id$/i, /^(?:uu|gu)id$/i],
};

export interface GuessedColumns {
  /** Columns that are not called so already, by what each fills. */
  readonly map: Readonly<Record<string, string>>;
  /** What it could be; undefined where neither the event nor the user is to be seen. */
  readonly type: DefaultType | undefined;
  /** Undefined where times are read without one, or nobody can say which. */
  readonly timeFormat: string | undefined;
}

export function guessColumns(columns: readonly SeenColumn[]): GuessedColumns {
  const time = columnNamed(columns, 'timestamp', isTimes) ?? columns.find(isOnlyTime);
  const found = {
    user_id: columnNamed(columns, 'user_id'),
    event: columnNamed(columns, 'event'),
    timestamp: time,
    message_id: columnNamed(columns, 'message_id'),
  };
  const pairs = Object.entries(found).flatMap(([member, column]) =>
    column === undefined || MEMBERS.includes(column.name) ? [] : [[column.name, member] as const],
  );
  const type = found.event !== undefined ? 'track' : found.user_id !== undefined ? 'identify' : undefined;
  return { map: Object.fromEntries(pairs), type, timeFormat: time && formatOf(time) };
}

function columnNamed(
  columns: readonly SeenColumn[],
  member: keyof typeof NAMES,
  fits: (column: SeenColumn) => boolean = () => true,
): SeenColumn | undefined {
  for (const name of NAMES[member]) {
    const found = columns.find((column) => name.test(column.name.split('.').at(-1) ?? '') && fits(column));
    if (found !== undefined) return found;
  }
  return undefined;
}

function textsOf({ values }: SeenColumn): readonly string[] {
  return values.filter((value) => value !== null && value !== undefined && value !== '').map(String);
}

/** Whether most of its values are times, or dates in an order that is to be said. */
function isTimes(column: SeenColumn): boolean {
  const texts = textsOf(column);
  const times = texts.filter(
    (text) => readImportedTime(text, { timezone: 'UTC' }).ok || DATE.test(text) || isExcelDay(text),
  );
  return texts.length > 0 && times.length >= texts.length * 0.8;
}

/** Without a name that says it: no numbers, and no members of members. */
function isOnlyTime(column: SeenColumn): boolean {
  return !column.name.includes('.') && isTimes(column) && !isNumbers(column);
}

function isNumbers(column: SeenColumn): boolean {
  return textsOf(column).every((text) => /^[\d.]+$/.test(text));
}

const DATE = /^(\d{1,2})([./-])(\d{1,2})\2\d{4}(?:( )\d{1,2}:\d\d(:\d\d)?( ?[AaPp][Mm])?)?$/;

/** From 1970 to 2100. */
function isExcelDay(text: string): boolean {
  return /^\d{5}(?:\.\d+)?$/.test(text) && Number(text) > 25_569 && Number(text) < 73_050;
}

/** Told by a day over the twelfth. */
function formatOf(column: SeenColumn): string | undefined {
  const texts = textsOf(column);
  if (texts.every(isExcelDay)) return 'excel';
  const dates = texts.map((text) => DATE.exec(text)).filter((match) => match !== null);
  const [first] = dates;
  if (first === undefined || dates.length < texts.length * 0.8) return undefined;
  const [, , dash = '/', , blank, seconds, half] = first;
  const isDayFirst = dates.some(([, one]) => Number(one) > 12);
  const isMonthFirst = dates.some(([, , , two]) => Number(two) > 12);
  if (isDayFirst === isMonthFirst) return undefined;
  const date = isDayFirst ? ['DD', 'MM', 'YYYY'] : ['MM', 'DD', 'YYYY'];
  if (blank === undefined) return date.join(dash);
  const clock = `${half === undefined ? 'HH' : 'hh'}:mm${seconds === undefined ? '' : ':ss'}`;
  return `${date.join(dash)} ${clock}${half === undefined ? '' : half.startsWith(' ') ? ' A' : 'A'}`;
}
