import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventCondition, Period, Sequence } from '../../../services/questions/definition/audience.ts';
import type { CountedEvent } from '../../../services/questions/one-user/event-window.ts';
import { windowOf } from '../../../services/questions/one-user/sequence-window.ts';
import { Steps } from '../../../services/questions/steps.ts';
import { EVER, NOW, period } from '../../support/messages/random-periods.ts';
import { propertyRun } from '../../support/property-run.ts';

const times = fc.tuple(fc.nat(2), fc.option(fc.nat(2), { nil: null })).map(([atLeast, more]) => ({
  atLeast,
  atMost: more === null ? null : atLeast + more,
}));
const sequence = fc.record({
  isFollowed: fc.boolean(),
  later: fc.constant(EVER),
  within: fc.bigInt(1n, 30n),
  which: fc.constantFrom('any' as const, 'first' as const, 'last' as const),
});
const condition = fc
  .record({ within: period, first: period, last: period, times, sequence })
  .map((given) => ({ ...EVER, ...given, times: given.sequence.which === 'any' ? given.times : EVER.times }));
const events = fc.array(
  fc
    .record({ id: fc.nat(4), timestamp: fc.bigInt(960n, 1_040n), receivedAt: fc.bigInt(0n, 3n) })
    .map(({ id, ...times }) => ({ event: 'X', user: '1', messageId: `m${id}`, ...times })),
  { maxLength: 6 },
);

function byWhen(one: CountedEvent, other: CountedEvent): number {
  return Number(one.timestamp - other.timestamp || one.receivedAt - other.receivedAt);
}

/** What the words of the definition say, the slow way. */
function isMet(
  { within, first, last, times: { atLeast, atMost }, sequence: asked }: EventCondition & { sequence: Sequence },
  earlier: readonly CountedEvent[],
  later: readonly CountedEvent[],
  now: bigint,
): boolean {
  const lies = (time: bigint | undefined, given: Period | null) => {
    const [from, to] = [given?.from, given?.to].map((one) => (one && 'ago' in one ? now - one.ago : one?.at));
    return (
      given === null || (time !== undefined && (from === undefined || time >= from) && (to === undefined || time < to))
    );
  };
  const inTime = earlier.filter(({ timestamp }) => lies(timestamp, within)).toSorted(byWhen);
  const looked = { any: inTime, first: inTime.slice(0, 1), last: inTime.slice(-1) }[asked.which];
  const counted = looked.filter((event) => {
    const { timestamp } = event;
    const isFollowed = later.some((one) => byWhen(one, event) > 0 && one.timestamp <= timestamp + asked.within);
    return asked.isFollowed ? isFollowed : !isFollowed && timestamp + asked.within <= now;
  });
  const count = new Set(counted.map(({ messageId }) => messageId)).size;
  const ends = [counted.at(0)?.timestamp, counted.at(-1)?.timestamp];
  return count >= atLeast && count <= (atMost ?? Infinity) && lies(ends[0], first) && lies(ends[1], last);
}

test('a sequence becomes true and false at exactly the instants that its definition says', () => {
  fc.assert(
    fc.property(condition, events, events, (asked, earlier, later) => {
      const instants = Array.from({ length: 200 }, (_, index) => NOW + BigInt(index));
      const expected = instants.filter(
        (now, index) => index > 0 && isMet(asked, earlier, later, now) !== isMet(asked, earlier, later, now - 1n),
      );

      const known = new Map([
        [asked, earlier],
        [asked.sequence.later, later],
      ]);

      const window = windowOf(asked, known, { now: NOW, steps: new Steps() });

      expect(window.isMet).toBe(isMet(asked, earlier, later, NOW));
      expect([...window.flips()]).toEqual(expected);
    }),
    propertyRun(2_000),
  );
});
