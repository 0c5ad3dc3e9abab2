import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME, parseWrittenTime } from '../../messages/timestamp.ts';
import { agesPassed, type DateTest, liesWithin, type NumberConstant } from '../definition/audience.ts';
import { describeDuration, describePeriod } from '../definition/describe-period.ts';
import { PERIOD_KEYS, readDuration, readNext, readPeriodBy } from '../definition/read-period.ts';
import { isJsonObject, type Reading } from '../definition/reading.ts';
import { anniversarySpans } from './anniversary.ts';
import { storedNumber } from './constant.ts';
import { type Course, flipping, unmoving, within } from './course.ts';
import { dateSql } from './date-sql.ts';
import { dayAt, monthDayOf } from './local-time.ts';
import type { Operator, TestedAt } from './operator.ts';

export const DATE: Operator<DateTest> = {
  read: readDate,
  describe: ({ when, epoch }) => {
    const unit = epoch === null ? '' : ` (${epoch} since 1970)`;
    if (!('upTo' in when)) return `is a date ${describePeriod(when)}${unit}`;
    return when.upTo === 0n
      ? `has its anniversary today${unit}`
      : `has its anniversary in the next ${describeDuration(when.upTo)}${unit}`;
  },
  sql: dateSql,
  passes: (value, test, at) => courseOf(value, test, at).passes,
  course: courseOf,
};

function courseOf(value: unknown, test: DateTest, at: TestedAt): Course {
  const date = dateOf(value, test, at);
  if (date === undefined) return unmoving(false);
  const { when, timezone } = test;
  const { now, steps } = at;
  const { instant, monthDay } = date;
  if (!('upTo' in when)) {
    const moments = agesPassed([when]).map((age) => instant + age);
    return flipping(moments, (time) => liesWithin(instant, when, time), now);
  }
  const spans = anniversarySpans(monthDay(), { ...when, timezone }, now);
  if (spans === null) return unmoving(true);
  steps.take(2 * spans.length);
  return within(spans, now);
}

const KEYS = [...PERIOD_KEYS, 'next', 'anniversary'] as const;
const EPOCHS = ['seconds', 'milliseconds'] as const;

function readDate(reading: Reading, value: unknown, path: string): DateTest | undefined {
  const node = reading.object(value, path);
  if (!node) return undefined;
  reading.onlyKeys(node, [...KEYS, 'epoch'], path);
  const [key, ...others] = KEYS.filter((known) => Object.hasOwn(node, known));
  if (key === undefined || others.length > 0) return reading.refuse(path, `needs one of ${KEYS.join(', ')}`);
  const when = readWhen(reading, key, node[key], `${path}/${key}`);
  const epoch = Object.hasOwn(node, 'epoch') ? EPOCHS.find((unit) => unit === node['epoch']) : null;
  if (epoch === undefined) return reading.refuse(`${path}/epoch`, `is neither ${EPOCHS.join(' nor ')}`);
  return when && { test: 'date', when, epoch, timezone: reading.timezone };
}

function readWhen(
  reading: Reading,
  key: (typeof KEYS)[number],
  value: unknown,
  path: string,
): DateTest['when'] | undefined {
  if (key === 'next') return readNext(reading, value, path);
  if (key !== 'anniversary') return readPeriodBy(reading, key, value, path, { mayBeAhead: true });
  if (value === 'today') return { upTo: 0n };
  if (!isJsonObject(value)) return reading.refuse(path, 'is neither "today" nor an object with next');
  reading.onlyKeys(value, ['next'], path);
  const upTo = readDuration(reading, value['next'], `${path}/next`);
  return upTo === undefined ? undefined : { upTo };
}

interface FoundDate {
  readonly instant: Micros;
  /** `MM-DD`, as it is written without an offset, else in the time zone. */
  readonly monthDay: () => string;
}

/** Undefined where the value is no date, or beyond the times that the service knows. */
function dateOf(value: unknown, { epoch, timezone }: DateTest, { location }: TestedAt): FoundDate | undefined {
  if (epoch !== null) {
    const number = storedNumber(value, location);
    const instant = number && epochMicros(number, epoch === 'seconds' ? 1_000_000 : 1_000);
    if (instant === undefined || instant < EARLIEST || instant >= END_OF_TIME) return undefined;
    return { instant, monthDay: () => monthDayOf(dayAt(instant, timezone)) };
  }
  const parsed = typeof value === 'string' ? parseWrittenTime(value, timezone) : undefined;
  if (typeof value !== 'string' || parsed?.ok !== true) return undefined;
  const { micros } = parsed;
  const hasOffset = /[Tt ].*(?:[Zz]|UTC|GMT|[+-][\d:]+)$/.test(value);
  return { instant: micros, monthDay: () => (hasOffset ? monthDayOf(dayAt(micros, timezone)) : value.slice(5, 10)) };
}

/** The same sums as in SQL. Undefined beyond all times, where the product may be infinite. */
function epochMicros({ integer, double }: NumberConstant, unit: number): Micros | undefined {
  if (Math.abs(double * unit) > 1e18) return undefined;
  return integer === null ? BigInt(Math.floor(double * unit + 0.5)) : integer * BigInt(unit);
}
