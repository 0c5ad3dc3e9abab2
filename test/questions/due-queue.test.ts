import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueQueue } from '../../services/questions/due-queue.ts';
import { propertyRun } from '../support/property-run.ts';

test('what is due comes out in the order of its time, and nothing that is due later', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 50n })), fc.bigInt({ min: 0n, max: 50n }), (times, until) => {
      const queue = new DueQueue<bigint>();
      for (const time of times) queue.push(time, time);
      const sorted = times.toSorted((one, other) => Number(one - other));

      expect([...queue.due(until)]).toEqual(sorted.filter((time) => time <= until));
      expect(queue.next).toEqual(sorted.find((time) => time > until));
      expect([...queue.due(50n)]).toEqual(sorted.filter((time) => time > until));
      expect(queue.next).toBeUndefined();
    }),
    propertyRun(200),
  );
});
