import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginningOfHour, hourOf } from '../../services/messages/day-and-hour.ts';
import { EARLIEST, END_OF_TIME } from '../../services/messages/timestamp.ts';

test('an instant lies within its hour, before 1970 too', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: EARLIEST, max: END_OF_TIME - 1n }), (instant) => {
      const hour = hourOf(instant);

      expect(beginningOfHour(hour) <= instant && instant < beginningOfHour(hour + 1)).toBe(true);
    }),
  );
});

test('hours are counted from 1970', () => {
  expect([-1n, 0n, 3_599_999_999n, 3_600_000_000n].map(hourOf)).toEqual([-1, 0, 0, 1]);
});
