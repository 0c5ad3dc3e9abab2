import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IngestClock, type IngestClockOptions } from '../../services/ingest/ingest-clock.ts';

const YEAR_MS = 365 * 86_400_000;
const START_MS = 1_795_000_000_000;

/** The readings of a machine whose clocks are moved by hand. */
class Machine {
  wallMs = START_MS;
  elapsedMs = 5_000;
  uptimeMs = 90_000;
  readonly lines: string[] = [];

  clock(options: Partial<IngestClockOptions> = {}): IngestClock {
    const note = (fields: unknown, line = fields as string): void => void this.lines.push(line);
    return new IngestClock({
      maxSkewMs: 5_000,
      nowMs: () => this.wallMs,
      elapsedMs: () => this.elapsedMs,
      uptimeMs: () => this.uptimeMs,
      logger: { info: note, warn: note },
      ...options,
    });
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.sleep(0);
    this.elapsedMs += ms;
    this.uptimeMs += ms;
  }

  /** The monotonic clock stands still. */
  sleep(ms: number): void {
    this.wallMs += ms;
    this.uptimeMs += ms;
  }
}

describe('an arrival', () => {
  test('an arrival is the wall clock if it has moved, else one microsecond more than the last', () => {
    const machine = new Machine();
    const clock = machine.clock();

    const given = [0, 0, 1, -1, 0, 3.5].map((ms) => {
      machine.wallMs += ms;
      return Number(clock.next()) - START_MS * 1000;
    });

    expect(given).toEqual([0, 1, 1_000, 1_001, 1_002, 3_500]);
  });

  test('several arrivals at once are given to no one else', () => {
    const clock = new Machine().clock();

    const given = [clock.next(3), clock.next(), clock.next(2), clock.next()];

    expect(given.map((at) => Number(at) - START_MS * 1000)).toEqual([0, 3, 4, 6]);
  });

  test('whatever the clocks do, arrivals rise, stay near the wall clock, and none is dated by a jump', () => {
    const step = fc.record({
      passMs: fc.oneof(fc.nat(2_000), fc.nat(700_000)),
      setMs: fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        fc.integer({ min: -9_000, max: 9_000 }),
        fc.integer({ min: -20 * YEAR_MS, max: 20 * YEAR_MS }),
      ),
      sleepMs: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(YEAR_MS)),
      count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.nat(2_000_000)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const machine = new Machine();
        const clock = machine.clock();
        let [last, bits, trusted] = [-1n, clock.processBits, machine.wallMs - machine.uptimeMs];
        for (const { passMs, setMs, sleepMs, count } of steps) {
          machine.pass(passMs);
          machine.sleep(sleepMs);
          machine.wallMs += setMs;
          const at = clock.next(count);
          if (clock.processBits !== bits) [last, bits, trusted] = [-1n, clock.processBits, NaN];
          if (at === undefined) continue;
          const offsetMs = machine.wallMs - machine.uptimeMs;
          expect(at).toBeGreaterThan(last);
          last = at + BigInt(count) - 1n;
          expect(Number(last) / 1000 - machine.wallMs).toBeLessThanOrEqual(Math.max(5_000, count / 1000));
          expect(Math.abs(offsetMs - (Number.isNaN(trusted) ? offsetMs : trusted))).toBeLessThanOrEqual(10_000);
          trusted = offsetMs;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a clock that jumps', () => {
  test.each([-10 * YEAR_MS, -6_000, 6_000, 10 * YEAR_MS])('a jump of %i ms is doubted until it is taken back', (ms) => {
    const machine = new Machine();
    const clock = machine.clock();

    machine.wallMs += ms;
    const during = [clock.skewed, clock.next(), Math.round(clock.now()) - START_MS];
    machine.wallMs -= ms;

    expect(during).toEqual([true, undefined, 0]);
    expect([clock.skewed, Number(clock.next())]).toEqual([false, START_MS * 1000]);
    expect(machine.lines).toEqual([
      "the clock of this machine was set, or is off the log's: messages are refused",
      'the clock of this machine is right again',
    ]);
  });

  test('a clock that stays where it was set is believed after ten minutes, under other bits of the process', () => {
    const machine = new Machine();
    const clock = machine.clock();
    clock.next();
    const { processBits } = clock;

    machine.wallMs -= 10 * YEAR_MS;
    const doubted = [clock.next(), machine.pass(599_000), clock.next()];
    machine.pass(1_000);
    clock.next();

    expect(doubted).toEqual([undefined, undefined, undefined]);
    expect([clock.skewed, Number(clock.next())]).toEqual([false, machine.wallMs * 1000]);
    expect(clock.processBits).not.toBe(processBits);
  });

  test('a clock that is set again is doubted for as long again', () => {
    const machine = new Machine();
    const clock = machine.clock();

    machine.wallMs += YEAR_MS;
    expect(clock.skewed).toBe(true);
    machine.pass(500_000);
    machine.wallMs += YEAR_MS;
    expect(clock.skewed).toBe(true);
    machine.pass(500_000);

    expect(clock.skewed).toBe(true);
  });

  test('a machine that slept has no clock that was set, wherever the monotonic clock stood still', () => {
    const machine = new Machine();
    const clock = machine.clock();

    machine.sleep(YEAR_MS);

    expect([clock.skewed, Number(clock.next())]).toEqual([false, machine.wallMs * 1000]);
  });

  test('small steps of a time service are followed', () => {
    const machine = new Machine();
    const clock = machine.clock();

    const skewed = Array.from({ length: 10 }, () => {
      machine.wallMs += 2_000;
      return clock.skewed;
    });

    expect(skewed).not.toContain(true);
  });

  test('small steps back never date a message more than the skew ahead of the wall clock', () => {
    const machine = new Machine();
    const clock = machine.clock();
    clock.next();

    machine.wallMs -= 4_000;
    const first = clock.next();
    machine.wallMs -= 4_000;

    expect([Number(first), clock.next()]).toEqual([START_MS * 1000 + 1, undefined]);
    machine.pass(3_001);
    expect(Number(clock.next())).toBe(START_MS * 1000 + 2);
  });
});

describe('the newest message of the log', () => {
  test.each([
    ['a minute before', -60_000, false],
    ['a little after', 4_000, false],
    ['an hour after', 3_600_000, true],
    ['a month before', -30 * 86_400_000, false],
    ['ten years before', -10 * YEAR_MS, true],
  ])('a clock whose log ends %s it is in doubt or not', (_, ms, isSkewed) => {
    const clock = new Machine().clock();

    clock.compareWith(START_MS + ms);

    expect(clock.skewed).toBe(isSkewed);
  });

  test('a clock that was wrong at the start is right once it is set', () => {
    const machine = new Machine();
    const clock = machine.clock();
    clock.compareWith(START_MS + YEAR_MS);
    expect(clock.skewed).toBe(true);

    machine.wallMs += YEAR_MS + 1_000;
    machine.elapsedMs += 1_000;

    expect(clock.next()).toBeDefined();
  });
});

describe('the clock of the log', () => {
  test.each([
    ['taken at once', 1_000, 1_000, 1_000, true],
    ['taken while we waited long', 1_000, 50_000, 99_000, true],
    ['taken 5 s before we sent it', 10_000, 5_000, 10_000, true],
    ['taken more than that before', 10_000, 4_999, 10_000, false],
    ['taken 5 s after we had the answer', 10_000, 16_000, 11_000, true],
    ['taken more than that after', 10_000, 16_001, 11_000, false],
  ])('a message %s agrees or not', (_, sentAtMs, appendedAtMs, answeredAtMs, agrees) => {
    const machine = new Machine();
    machine.wallMs = answeredAtMs;
    const clock = machine.clock();

    expect(clock.agrees(appendedAtMs, sentAtMs)).toBe(agrees);
    expect(clock.skewed).toBe(!agrees);
  });

  test('a clock off the log is in doubt until it is set, with no further message to the log', () => {
    const machine = new Machine();
    const clock = machine.clock();
    expect(clock.agrees(START_MS - 3_600_000, START_MS)).toBe(false);
    machine.pass(60_000);
    expect(clock.skewed).toBe(true);

    machine.wallMs -= 3_599_000;

    expect(clock.skewed).toBe(false);
  });

  test('a log that is dated by this machine tells nothing about its clock', () => {
    const clock = new Machine().clock({ isLogOurs: true });

    expect(clock.agrees(START_MS + YEAR_MS, START_MS)).toBe(false);
    expect(clock.skewed).toBe(false);
  });

  test('a clock that is set while the log is unreachable has jumped, until the log agrees with it', () => {
    const machine = new Machine();
    const clock = machine.clock();
    expect(clock.hasJumped).toBe(false);

    machine.wallMs -= 6_000;
    expect(clock.hasJumped).toBe(true);

    clock.agrees(machine.wallMs, machine.wallMs);
    expect(clock.hasJumped).toBe(false);
  });
});
