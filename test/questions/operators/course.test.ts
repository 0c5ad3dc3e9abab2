import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Member } from '../../../services/questions/definition/audience.ts';
import { isPassingAt } from '../../../services/questions/operators/course.ts';
import { courseOfMembers, passesMembers } from '../../../services/questions/operators/operators.ts';
import { Steps } from '../../../services/questions/steps.ts';
import { readIn } from '../../support/messages/random-history.ts';
import { propertyRun } from '../../support/property-run.ts';

const HOUR = 3_600_000_000n;
const DAY = 24n * HOUR;
// 2026-11-20T00:00:00Z
const NOW = 1_795_132_800_000_000n;

function membersOf(where: readonly object[], padding = ''): readonly Member[] {
  const read = readIn(JSON.stringify({ event: 'Bought', where }) + padding);
  if (!read.ok || read.definition.kind !== 'event') throw new Error('not a condition on an event');
  return read.definition.where;
}

function at(now: bigint) {
  return { now, steps: new Steps(), location: 'property' } as const;
}

test('what passes at an instant does not depend on which instants were asked about before', () => {
  const where = membersOf([{ property: 'ends', date: { next: '7d' } }]);
  const course = courseOfMembers({ ends: '2026-11-30T00:00:00Z' }, where, at(NOW));
  const instants = [0n, 5n, 11n, 5n, 0n, 3n, 11n, 4n].map((days) => NOW + days * DAY);

  expect(instants.map((now) => isPassingAt(course, now))).toEqual([false, true, false, true, false, true, false, true]);
});

const date = fc.oneof(
  fc.constantFrom('2024-02-29', '2026-11-20', '2026-11-27T00:00:00', 'soon', '1990-11-22', '2026-12-01T02:00:00+02:00'),
  fc.integer({ min: -900, max: 900 }).map((hours) => new Date(Number(NOW / 1000n) + hours * 3_600_000).toISOString()),
);
const object = fc.record({ a: date, b: date, held: fc.boolean() }, { requiredKeys: [] });
const period = fc.constantFrom(
  { next: '7d' },
  { last: '24h' },
  { last: '30d' },
  { since: '+2d' },
  { before: '3d' },
  { between: ['48h', '+48h'] },
  { anniversary: 'today' },
  { anniversary: { next: '3d' } },
  { anniversary: { next: '400d' } },
);
const member = fc.oneof(
  fc.record({ property: fc.constantFrom('a', 'b'), date: period }),
  fc.constant({ property: 'held', is: true }),
);
const members = fc.array(member, { minLength: 1, maxLength: 3 });

test('a list passes from each flip on as it does when it is asked then, and between flips stays as it is', () => {
  fc.assert(
    fc.property(fc.array(object, { maxLength: 5 }), members, fc.nat(3), (list, has, spaces) => {
      // Time zones follow from the length of the text.
      const where = membersOf([{ property: 'list', has }], ' '.repeat(spaces));
      const course = courseOfMembers({ list }, where, at(NOW));
      const instants = Array.from({ length: 60 }, (_, index) => NOW + BigInt(index) * 13n * HOUR);
      const flips = course.flips.slice(0, 20).flatMap((flip) => [flip - 1n, flip]);

      for (const now of [NOW, ...instants, ...flips])
        expect([now, isPassingAt(course, now)]).toEqual([now, passesMembers({ list }, where, at(now))]);
      for (const flip of course.flips.slice(0, 20))
        expect(isPassingAt(course, flip)).not.toBe(isPassingAt(course, flip - 1n));
    }),
    propertyRun(300),
  );
});

test('objects that something else rules out have no instants that matter', () => {
  const list = Array.from({ length: 3_000 }, (_, index) => ({ due: new Date(index * 86_400_000).toISOString() }));
  const where = membersOf([
    {
      property: 'list',
      has: [
        { property: 'due', date: { next: '7d' } },
        { property: 'state', is: 'open' },
      ],
    },
  ]);

  const course = courseOfMembers({ list }, where, at(NOW));

  expect([course.passes, course.flips.length]).toEqual([false, 0]);
});

test('the dates of a list are refused before they take as long as a million tests of numbers may', () => {
  const members = (test: object) =>
    membersOf([{ property: 'orders', has: Array.from({ length: 8 }, () => ({ property: 'due', ...test })) }]);
  const listed = (due: unknown) => ({ orders: Array.from({ length: 12_000 }, () => ({ due })) });

  expect(courseOfMembers(listed(1), members({ gte: 0 }), at(NOW)).passes).toBe(true);
  expect(() => courseOfMembers(listed('2026-11-30'), members({ date: { next: '7d' } }), at(NOW))).toThrow(
    expect.objectContaining({ code: 'QUERY_LIMIT' }),
  );
});
