import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeOf, fold, mergeChanges } from '../../../services/consumers/projector/fold.ts';
import type { ProfileChange, TraitState } from '../../../services/stores/profiles/profile.ts';
import { identify, session, track } from '../../support/messages/messages.ts';

const ada = { projectId: 'proj_1', userId: 'ada' };

describe('the change that a message makes', () => {
  test('the change of an identify has its traits, each with its digits and its version', () => {
    const message = identify({ ...ada, traits: '{"n":9007199254740993,"gone":null,"deep":{"x":null}}' });

    const { traits } = changeOf(message);

    expect([...traits]).toEqual([
      ['n', { value: '9007199254740993', version: message.version }],
      ['gone', { value: null, version: message.version }],
      ['deep', { value: '{"x":null}', version: message.version }],
    ]);
  });

  test('the change of a track has its time and no traits', () => {
    const change = changeOf(track({ ...ada, timestamp: 5n, properties: '{"total":1}' }));

    expect(change).toMatchObject({ userId: 'ada', firstSeen: 5n, lastSeen: 5n, anonymous: null, traits: new Map() });
  });

  test('the change of a session has its traits, and whether the user is anonymous', () => {
    const message = session({ ...ada, anonymous: true, traits: '{"plan":"pro"}' });

    const change = changeOf(message);

    expect(change.anonymous).toEqual({ value: true, version: message.version });
    expect([...change.traits.keys()]).toEqual(['plan']);
  });

  test('an anonymous id is the name of the user only where there is no user id', () => {
    const alone = changeOf({ ...track(ada), userId: null, anonymousId: 'a' });
    const beside = changeOf(track({ ...ada, anonymousId: 'a', version: versionAt(5) }));

    expect(alone).toMatchObject({ anonymousId: 'a', sightings: new Map() });
    expect(beside).toMatchObject({ userId: 'ada', anonymousId: null, sightings: new Map([['a', versionAt(5)]]) });
  });

  test('a message whose traits are not a JSON object yields no change', () => {
    expect(() => changeOf(identify({ ...ada, traits: '[1]' }))).toThrow(
      expect.objectContaining({ code: 'MESSAGE_UNDECODABLE' }),
    );
  });
});

describe('folding', () => {
  test('folding yields one change for each user of each project', () => {
    const messages = [
      track(ada),
      identify(ada),
      track({ ...ada, userId: 'bob' }),
      track({ ...ada, projectId: 'proj_2' }),
    ];

    const changes = fold(messages.map(changeOf));

    expect(changes.map(({ projectId, userId }) => `${projectId} ${userId}`)).toEqual([
      'proj_1 ada',
      'proj_1 bob',
      'proj_2 ada',
    ]);
  });

  test('folding gives the same result in any order and any grouping, and a repeat changes nothing', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(), (changes, seed) => {
        const at = seed % changes.length;
        const turned = [...changes.slice(at), ...changes.slice(0, at)].toReversed();
        const grouped = [mergeChanges(changes.slice(0, at + 1)), ...changes.slice(at), ...changes];

        expect(mergeChanges(turned)).toEqual(mergeChanges(changes));
        expect(mergeChanges(grouped)).toEqual(mergeChanges(changes));
      }),
    );
  });
});

describe('a user seen with more anonymous ids than are kept', () => {
  test('a user keeps the anonymous ids seen first, whatever the order, the grouping and the repeats', () => {
    const ids = fc.array(fc.tuple(fc.nat(150), fc.nat(90)), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(ids, fc.nat(), (seen, seed) => {
        const changes = seen.map(([id, at]) =>
          changeOf(track({ ...ada, anonymousId: IDS[id]!, version: versionAt(at) })),
        );
        const at = seed % changes.length;
        const turned = [...changes.slice(at), ...changes.slice(0, at)].toReversed();
        const grouped = [mergeChanges(changes.slice(0, at + 1)), ...changes.slice(at), ...changes];

        const kept = firstIdsOf(seen);
        for (const delivery of [changes, turned, grouped]) {
          expect(new Map(mergeChanges(delivery).sightings)).toEqual(kept);
        }
      }),
    );
  });
});

test('whom an anonymous id was seen with is the same in all 720 orders of six messages', () => {
  const sighting = fc.record({
    user: fc.constantFrom('ada', 'bob'),
    id: fc.constantFrom('a', 'b', 'c'),
    at: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(sighting, { minLength: 6, maxLength: 6 }), (history) => {
      const changes = history.map(({ user, id, at }) =>
        changeOf(track({ ...ada, userId: user, userKey: user, anonymousId: id, version: versionAt(at) })),
      );
      const seenIn = (order: readonly number[]) => {
        const folded = fold(order.flatMap((index) => changes[index] ?? []));
        const pairs = folded.flatMap(({ userKey, sightings }) => [...sightings].map((pair) => [userKey, ...pair]));
        return pairs.map(String).sort();
      };
      const [first = [], ...others] = ordersOf([0, 1, 2, 3, 4, 5]).map(seenIn);
      for (const other of others) expect(other).toEqual(first);
    }),
    { numRuns: 200 },
  );
});

function ordersOf(all: readonly number[]): readonly (readonly number[])[] {
  if (all.length === 0) return [[]];
  return all.flatMap((first) => ordersOf(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

/** Some sort otherwise by UTF-16 than by bytes. */
const IDS = Array.from({ length: 151 }, (_, n) => `${['\uff5e', '\u{1f600}', 'a'][n % 3]}${n}`);

function firstIdsOf(seen: readonly (readonly [id: number, at: number])[]): ReadonlyMap<string, string> {
  const first = new Map<string, number>();
  for (const [id, at] of seen) first.set(IDS[id]!, Math.min(at, first.get(IDS[id]!) ?? at));
  const order = [...first].sort(([a, x], [b, y]) => x - y || Buffer.from(a).compare(Buffer.from(b)));
  return new Map(order.slice(0, 100).map(([id, at]) => [id, versionAt(at)]));
}

function versionAt(at: number): string {
  return at.toString(16).padStart(32, '0');
}

describe('a user with more traits than are kept', () => {
  const said = fc.array(wideChange(), { minLength: 1, maxLength: 12 });

  test('a user with more traits than are kept has the newest, whatever the order, the grouping and the repeats', () => {
    fc.assert(
      fc.property(said, fc.integer({ min: 1, max: 4 }), fc.nat(), (changes, maxTraits, seed) => {
        const at = seed % changes.length;
        const turned = [...changes.slice(at), ...changes.slice(0, at)].toReversed();
        const merge = (some: readonly ProfileChange[]) => mergeChanges(some, { maxTraits });
        const grouped = [merge(changes.slice(0, at + 1)), ...changes.slice(at), merge(turned), ...changes];

        const kept = naivelyKept(changes, maxTraits);
        for (const delivery of [changes, turned, grouped]) {
          expect(new Map(merge(delivery).traits)).toEqual(kept);
          expect(new Map(fold(delivery, { maxTraits })[0]?.traits)).toEqual(kept);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('never has more than three times as many in memory, and what is dropped is reported', () => {
    const changes = Array.from({ length: 50 }, (_, n) => changeWith([[`t${n}`, n]]));
    const dropped: unknown[] = [];

    const [merged] = fold(changes, { maxTraits: 2, onDropped: (one) => dropped.push(one) });

    expect([...(merged?.traits.keys() ?? [])].sort()).toEqual(['t48', 't49']);
    expect(dropped).toEqual([{ projectId: 'proj_1', userKey: 'key', traits: 48 }]);
  });

  test('a message from before the limit that has more traits than are kept is trimmed too', () => {
    const one = changeOf(identify({ ...ada, traits: '{"c":1,"a":null,"b":3}' }));

    expect([...(fold([one], { maxTraits: 2 })[0]?.traits.keys() ?? [])]).toEqual(['a', 'b']);
  });
});

/** Names that sort otherwise by UTF-16 than by bytes, under few versions: all traits of one message share one. */
function wideChange(): fc.Arbitrary<ProfileChange> {
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'ab', '\uff5e', '\u{1f600}', '__proto__', ''));
  return fc.tuple(fc.nat(3), names).map(([number, traits]) => changeWith(traits.map((trait) => [trait, number])));
}

function changeWith(traits: readonly (readonly [trait: string, version: number])[]): ProfileChange {
  const states = traits.map(([trait, number]) => {
    const state = { value: number % 3 === 0 ? null : String(number), version: number.toString(16).padStart(32, '0') };
    return [trait, state] as const;
  });
  return {
    projectId: 'proj_1',
    userKey: 'key',
    userId: null,
    anonymousId: null,
    sightings: new Map(),
    firstSeen: 1n,
    lastSeen: 1n,
    anonymous: null,
    traits: new Map(states),
  };
}

function naivelyKept(changes: readonly ProfileChange[], most: number) {
  const newest = new Map<string, TraitState>();
  for (const [trait, state] of changes.flatMap(({ traits }) => [...traits])) {
    if (state.version > (newest.get(trait)?.version ?? '')) newest.set(trait, state);
  }
  const order = [...newest].sort(([a, x], [b, y]) =>
    x.version === y.version ? Buffer.from(a).compare(Buffer.from(b)) : x.version < y.version ? 1 : -1,
  );
  return new Map(order.slice(0, most));
}

/** One version always says the same: it names one message. */
const change: fc.Arbitrary<ProfileChange> = fc
  .record({ number: fc.nat(8), userId: fc.option(fc.constant('ada')), traits: fc.subarray(['a', 'b', 'c']) })
  .map(({ number, userId, traits }) => {
    const version = number.toString(16).padStart(32, '0');
    const value = number % 3 === 0 ? null : String(number);
    return {
      projectId: 'proj_1',
      userKey: 'key',
      userId,
      anonymousId: null,
      sightings: new Map(),
      firstSeen: BigInt((number * 7) % 5),
      lastSeen: BigInt(number),
      anonymous: number % 2 === 0 ? { value: number % 4 === 0, version } : null,
      traits: new Map(traits.map((trait) => [trait, { value, version }])),
    };
  });
