import { Temporal } from 'temporal-polyfill';
import type { DateTest, NumberConstant, Period } from '../../../services/questions/definition/audience.ts';
import type { Micros } from '../../../services/messages/message.ts';
import { EARLIEST, END_OF_TIME, parseWrittenTime } from '../../../services/messages/timestamp.ts';

const DAY: Micros = 86_400_000_000n;

/** Whether a text or a number is a date that passes, the slow way: day by day. */
export function datePasses(value: string | NumberConstant | undefined, test: DateTest, now: Micros): boolean {
  const { when, epoch, timezone } = test;
  const instant = typeof value === 'string' ? ofText(value, test) : value && ofNumber(value, epoch);
  if (instant === undefined || instant < EARLIEST || instant >= END_OF_TIME) return false;
  if (!('upTo' in when)) return lies(instant, when, now);
  const written = typeof value === 'string' && !/[zZ]$|UTC$|GMT$|[T ].*[+-]/.test(value) ? value.slice(0, 10) : null;
  const date = written === null ? dateAt(instant, timezone) : Temporal.PlainDate.from(written);
  const last = dateAt(now + (when.upTo > 400n * DAY ? 400n * DAY : when.upTo), timezone);
  for (let day = dateAt(now, timezone); Temporal.PlainDate.compare(day, last) <= 0; day = day.add({ days: 1 })) {
    // `with` takes the last day of the month where a day is not in it.
    if (date.with({ year: day.year }).equals(day)) return true;
  }
  return false;
}

function ofText(text: string, { epoch, timezone }: DateTest): Micros | undefined {
  const parsed = parseWrittenTime(text, timezone);
  return epoch === null && parsed.ok ? parsed.micros : undefined;
}

function ofNumber({ integer, double }: NumberConstant, epoch: DateTest['epoch']): Micros | undefined {
  if (epoch === null) return undefined;
  const unit = epoch === 'seconds' ? 1_000_000 : 1_000;
  if (!Number.isFinite(double * unit)) return undefined;
  return integer === null ? BigInt(Math.floor(double * unit + 0.5)) : integer * BigInt(unit);
}

function dateAt(instant: Micros, timezone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochNanoseconds(instant * 1000n)
    .toZonedDateTimeISO(timezone)
    .toPlainDate();
}

export function lies(instant: Micros, period: Period | null, now: Micros): boolean {
  const [from, to] = [period?.from, period?.to].map((end) => (end && 'ago' in end ? now - end.ago : end?.at));
  return (from === undefined || instant >= from) && (to === undefined || instant < to);
}
