import { describe, expect, test } from 'vitest';
import { readRetryAfter, waitMsAfter } from '../../services/webhooks/retry-schedule.ts';

const HOUR_MS = 3_600_000;
const MIDDLE = 0.5;

describe('when a delivery is tried again', () => {
  test('the waits are those of Standard Webhooks, and the last is repeated', () => {
    const waits = Array.from({ length: 11 }, (_, index) => waitMsAfter(index + 1, null, MIDDLE));

    const hours = [2, 5, 10, 14, 20, 24, 24, 24].map((hour) => hour * HOUR_MS);
    expect(waits).toEqual([5_000, 300_000, 1_800_000, ...hours]);
  });

  test('a wait is a tenth shorter or longer at most', () => {
    expect([waitMsAfter(1, null, 0), waitMsAfter(1, null, 1)]).toEqual([4_500, 5_500]);
  });

  test('what the answer says counts in place of the schedule, from a second to a day', () => {
    expect([120_000, 0, 999 * 24 * HOUR_MS].map((ms) => waitMsAfter(3, ms))).toEqual([120_000, 1_000, 24 * HOUR_MS]);
  });

  test.each([
    ['7', 7_000],
    [' 120 ', 120_000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['-1', null],
    ['2026-11-20', null],
    [undefined, null],
  ])('Retry-After of %s is read', (header, expected) => {
    expect(readRetryAfter(header, Date.UTC(2026, 10, 20, 12))).toBe(expected);
  });
});
