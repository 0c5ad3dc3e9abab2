import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMicros, parseTimestamp } from '../../../services/messages/timestamp.ts';
import {
  dayAt,
  dayOfYear,
  firstDateFrom,
  localTimesFrom,
  startOfDay,
} from '../../../services/questions/operators/local-time.ts';
import { propertyRun } from '../../support/property-run.ts';

const DAY = 86_400_000_000n;
const HOUR = DAY / 24n;

/** Zones, and instants at which their clocks are changed: forward, back, by half an hour, at midnight, by a day. */
const CHANGES: readonly (readonly [string, string])[] = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['America/St_Johns', '2005-10-30T02:31:00Z'],
  ['America/St_Johns', '2005-04-03T03:31:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['UTC', '2026-03-29T01:00:00Z'],
];

const near = fc.constantFrom(...CHANGES).chain(([timezone, at]) => {
  const micros = BigInt(Date.parse(at)) * 1000n;
  const around = fc.oneof(
    fc.bigInt(-30n * 60n, 30n * 60n).map((minutes) => micros + minutes * 60_000_000n),
    fc.bigInt(-3n, 3n).map((little) => micros + little),
    fc.bigInt(-3n, 3n).map((hours) => micros + hours * HOUR),
  );
  return fc.record({ timezone: fc.constant(timezone), instant: around, local: around });
});

function read(text: string, timezone: string): bigint {
  const parsed = parseTimestamp(text, timezone);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.micros;
}

describe('a time zone', () => {
  test('the ranges of local times have those that are read as the instant or a later one', () => {
    fc.assert(
      fc.property(near, fc.bigInt(-14n, 14n), ({ timezone, instant, local: about }, hours) => {
        const local = about + hours * HOUR;
        const isLater = read(formatMicros(local).slice(0, -1), timezone) >= instant;

        const ranges = localTimesFrom(instant, timezone);

        const isIn = ranges.some(({ from, to }) => local >= from && (to === null || local < to));
        expect([timezone, instant, local, isIn]).toEqual([timezone, instant, local, isLater]);
      }),
      propertyRun(3_000),
    );
  });

  test('the first date from an instant on is the earliest that is read as the instant or a later one', () => {
    fc.assert(
      fc.property(near, ({ timezone, instant }) => {
        const day = firstDateFrom(instant, timezone);

        const startOf = (one: bigint) => read(formatMicros(one * DAY).slice(0, 10), timezone);
        expect([startOf(day) >= instant, startOf(day - 1n) < instant]).toEqual([true, true]);
        expect(startOfDay(day, timezone)).toBe(startOf(day));
      }),
      propertyRun(1_000),
    );
  });

  test('the day of an instant is the last that has begun', () => {
    fc.assert(
      fc.property(near, ({ timezone, instant }) => {
        const day = dayAt(instant, timezone);

        expect([startOfDay(day, timezone) <= instant, startOfDay(day + 1n, timezone) > instant]).toEqual([true, true]);
      }),
      propertyRun(1_000),
    );
  });

  test('29 February is 28 February in a year that does not have it', () => {
    const days = [2023, 2024, 1900, 2000].map((year) => formatMicros(dayOfYear(year, '02-29') * DAY).slice(0, 10));

    expect(days).toEqual(['2023-02-28', '2024-02-29', '1900-02-28', '2000-02-29']);
  });
});
