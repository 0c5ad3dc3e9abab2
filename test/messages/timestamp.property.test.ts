import * as fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { EARLIEST, END_OF_TIME, formatMicros, parseTimestamp } from '../../services/messages/timestamp.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Toronto',
  'Africa/Casablanca',
  'Asia/Kolkata',
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Antarctica/Troll',
];

const micros = fc.bigInt({ min: EARLIEST, max: END_OF_TIME - 1n });
const zone = fc.constantFrom(...ZONES);

/** Instants up to three hours from a change of a zone's clocks. */
const nearTransition = fc
  .tuple(zone, fc.integer({ min: 1900, max: 2100 }), fc.integer({ min: -10_800, max: 10_800 }))
  .map(([timezone, year, seconds]) => {
    const start = Temporal.PlainDate.from({ year, month: 1, day: 2 }).toZonedDateTime(timezone);
    const change = start.getTimeZoneTransition('next') ?? start;
    return { timezone, ms: change.epochMilliseconds + seconds * 1000 };
  });

function parsed(text: string, timezone: string): bigint | undefined {
  const result = parseTimestamp(text, timezone);
  return result.ok ? result.micros : undefined;
}

function microsOf(ns: bigint): bigint {
  return (ns - (((ns % 1000n) + 1000n) % 1000n)) / 1000n;
}

test('an instant written out reads back as itself', () => {
  fc.assert(
    fc.property(micros, zone, (instant, timezone) => {
      expect(parsed(formatMicros(instant), timezone)).toBe(instant);
    }),
  );
});

test('a time with any offset is the instant that Temporal says', () => {
  const minutes = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 });
  const nanoseconds = fc.nat(999);

  fc.assert(
    fc.property(micros, nanoseconds, minutes, zone, (instant, ns, offset, timezone) => {
      const sign = offset < 0 ? '-' : '+';
      const [hours, rest] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
        String(n).padStart(2, '0'),
      );
      const moment = Temporal.Instant.fromEpochNanoseconds(instant * 1000n + BigInt(ns));
      const text = moment.toString({ timeZone: `${sign}${hours}:${rest}` });

      expect(parsed(text, timezone)).toBe(microsOf(Temporal.Instant.from(text).epochNanoseconds));
    }),
  );
});

test('local time is what Temporal says under the compatible rule, gaps and overlaps too', () => {
  fc.assert(
    fc.property(nearTransition, ({ timezone, ms }) => {
      // Wall clocks around a change, those that it skips too: the offset of the day before, held.
      const before = Temporal.Instant.fromEpochMilliseconds(ms - 86_400_000).toZonedDateTimeISO(timezone);
      const local = before.toPlainDateTime().add({ hours: 24 });

      const expected = local.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochNanoseconds / 1000n;
      expect(parsed(local.toString(), timezone)).toBe(inRange(expected));
      const firstInstant = local.toPlainDate().toZonedDateTime(timezone).epochNanoseconds / 1000n;
      expect(parsed(local.toPlainDate().toString(), timezone)).toBe(inRange(firstInstant));
    }),
    { numRuns: 500 },
  );
});

test('local time as Intl shows it reads back as that instant, or as the earlier one that it shows alike', () => {
  fc.assert(
    fc.property(nearTransition, ({ timezone, ms }) => {
      const local = wallClock(ms, timezone);

      const instant = parsed(local, timezone);

      if (instant === undefined) expect(inRange(BigInt(ms) * 1000n)).toBeUndefined();
      else {
        expect(wallClock(Number(instant / 1000n), timezone)).toBe(local);
        expect(Number(instant / 1000n)).toBeLessThanOrEqual(ms);
      }
    }),
    { numRuns: 500 },
  );
});

function inRange(instant: bigint): bigint | undefined {
  return instant >= EARLIEST && instant < END_OF_TIME ? instant : undefined;
}

/** The local time that the platform shows, as ISO-8601. */
function wallClock(ms: number, timezone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(ms).replace(' ', 'T');
}
