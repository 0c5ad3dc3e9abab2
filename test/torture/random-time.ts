/** Instants and ways to write them; what they mean is known beforehand, not parsed. */
import type { Dice } from './dice.ts';

export interface WrittenTime {
  readonly text: string;
  readonly micros: bigint;
}

const SECOND = 1_000_000n;
const DAY = 86_400n * SECOND;

/** An instant between two days since 1970, to the microsecond. */
export function randomInstant(dice: Dice, fromDay: number, toDay: number): bigint {
  return (
    BigInt(dice.between(fromDay, toDay)) * DAY +
    BigInt(dice.between(0, 86_399)) * SECOND +
    BigInt(dice.between(0, 999_999))
  );
}

/** With an offset, or as local time of the project where that says it. */
export function writeTime(dice: Dice, micros: bigint, timezone: string): WrittenTime {
  if (micros > 800n * DAY && dice.chance(0.3)) {
    const local = localTime(micros, timezone);
    // The second of two same local times must say which it is.
    if (local !== localTime(micros - 3_600n * SECOND, timezone)) return { text: local, micros };
  }
  const minutes = dice.pick([0, 0, 120, -300, 330, 1439]);
  const text = isoOf(micros + BigInt(minutes) * 60n * SECOND);
  if (minutes === 0) return { text: `${text}${dice.pick(['Z', 'z', '+00:00'])}`, micros };
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(twoDigits);
  return { text: `${text}${minutes < 0 ? '-' : '+'}${hours}${dice.pick([':', ''])}${rest}`, micros };
}

function isoOf(micros: bigint): string {
  const fraction = ((micros % SECOND) + SECOND) % SECOND;
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}`;
}

function localTime(micros: bigint, timeZone: string): string {
  const parts = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const;
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...parts });
  const shown = Object.fromEntries(
    format.formatToParts(Number(micros / 1000n)).map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute, second } = shown as Record<keyof typeof parts, string>;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${String(micros % SECOND).padStart(6, '0')}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
