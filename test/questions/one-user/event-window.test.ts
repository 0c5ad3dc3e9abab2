import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventCondition, Period } from '../../../services/questions/definition/audience.ts';
import { type CountedEvent, EventWindow } from '../../../services/questions/one-user/event-window.ts';
import { Steps } from '../../../services/questions/steps.ts';
import { EVER, NOW, period } from '../../support/messages/random-periods.ts';
import { propertyRun } from '../../support/property-run.ts';

const AT = () => ({ now: NOW, steps: new Steps() });
const times = fc.tuple(fc.nat(3), fc.option(fc.nat(3), { nil: null })).map(([atLeast, more]) => ({
  atLeast,
  atMost: more === null ? null : atLeast + more,
}));
const condition = fc
  .record({ within: period, first: period, last: period, times })
  .map((given) => ({ ...EVER, ...given }));
const occurrence = fc
  .record({ id: fc.nat(4), timestamp: fc.bigInt(950n, 1_050n) })
  .map(({ id, timestamp }) => ({ event: 'X', user: '1', messageId: `m${id}`, timestamp, receivedAt: timestamp }));

/** What the words of the definition say, the slow way. */
function isMet(
  { within, first, last, times: { atLeast, atMost } }: EventCondition,
  events: readonly CountedEvent[],
  now: bigint,
) {
  const lies = (time: bigint | undefined, given: Period | null) => {
    const [from, to] = [given?.from, given?.to].map((one) => (one && 'ago' in one ? now - one.ago : one?.at));
    return (
      given === null || (time !== undefined && (from === undefined || time >= from) && (to === undefined || time < to))
    );
  };
  const counted = events.filter(({ timestamp }) => lies(timestamp, within));
  const order = counted.map(({ timestamp }) => timestamp).sort((one, other) => Number(one - other));
  const count = new Set(counted.map(({ messageId }) => messageId)).size;
  return count >= atLeast && count <= (atMost ?? Infinity) && lies(order.at(0), first) && lies(order.at(-1), last);
}

function at(time: bigint, messageId = String(time)): CountedEvent {
  return { event: 'X', user: '1', messageId, timestamp: time, receivedAt: time };
}

describe('the events of a condition', () => {
  test('of events of one time the first is the one that arrived first, and the newest the one that arrived last', () => {
    const events = [3n, 1n, 2n].map((arrival) => ({ ...at(900n, `m${9n - arrival}`), receivedAt: arrival }));
    const window = new EventWindow(EVER, events, AT());

    expect([window.first?.receivedAt, window.last?.receivedAt]).toEqual([1n, 3n]);
    expect(window.newest(2).map(({ receivedAt }) => receivedAt)).toEqual([3n, 2n]);
  });

  test('an event condition becomes true and false at exactly the instants that its definition says', () => {
    fc.assert(
      fc.property(condition, fc.array(occurrence, { maxLength: 8 }), (asked, events) => {
        const instants = Array.from({ length: 200 }, (_, index) => NOW + BigInt(index));
        const expected = instants.filter(
          (now, index) => index > 0 && isMet(asked, events, now) !== isMet(asked, events, now - 1n),
        );

        const window = new EventWindow(asked, events, AT());

        expect(window.isMet).toBe(isMet(asked, events, NOW));
        expect([...window.flips()]).toEqual(expected);
      }),
      propertyRun(2_000),
    );
  });

  test('events are counted by message, and listed newest first, one for each message', () => {
    const events = [at(3n, 'b'), at(1n, 'a'), at(2n, 'a'), at(4n, 'c')];

    const found = new EventWindow(EVER, events, AT());

    expect(found.count).toBe(3);
    expect(found.newest(2)).toEqual([at(4n, 'c'), at(3n, 'b')]);
    expect(found.newest(9)).toEqual([at(4n, 'c'), at(3n, 'b'), at(2n, 'a')]);
    expect([found.first, found.last]).toEqual([at(1n, 'a'), at(4n, 'c')]);
  });

  test('outside the time asked for are not among them', () => {
    const found = new EventWindow(
      { ...EVER, within: { from: { ago: 10n }, to: { ago: -1n } } },
      [at(989n), at(1_001n)],
      AT(),
    );

    expect([found.count, found.first, found.last, found.newest(5)]).toEqual([0, undefined, undefined, []]);
    expect([...found.flips()]).toEqual([1_001n, 1_012n]);
  });
});
