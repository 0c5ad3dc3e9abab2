import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import { someone, version } from './profile-store.ts';

/** What the store of profiles does with sightings, on a migrated database that other tests may share. */
export function testSightings(name: string, openDatabase: () => Database, generation = 1): void {
  describe(`SqlProfileStore of generation ${generation} on ${name}, with sightings`, () => {
    test('anonymous ids seen beside a user id are found by when they were first seen, the last of them first', async () => {
      const { write, find } = someone(openDatabase(), generation);
      await write({ userId: 'ada', sightings: seen({ a: 5, b: 4, '\uff5e': 9 }) });

      await write({ userId: 'ada', sightings: seen({ a: 1, b: 7, '\u{1f600}': 9 }) });

      expect((await find())?.anonymousIds).toEqual(['\uff5e', '\u{1f600}', 'b', 'a']);
    });

    test('the hundred anonymous ids seen first are kept, in whatever order they come', async () => {
      const ids = Array.from({ length: 130 }, (_, n): [string, string] => [`id-${n}`, version(n)]);
      const first = ids.slice(0, 100).map(([id]) => id);
      for (const order of [ids, ids.toReversed(), [...ids.slice(60), ...ids]]) {
        const { write, find } = someone(openDatabase(), generation);
        for (let at = 0; at < order.length; at += 45)
          await write({ userId: 'ada', sightings: new Map(order.slice(at, at + 45)) });

        expect((await find())?.anonymousIds).toEqual(first.toReversed());
      }
    });

    test('the users whom an anonymous id was sent beside are listed by internal id, page by page', async () => {
      const { store, change } = someone(openDatabase(), generation);
      const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
      const beside = seen({ cookie: 1 });
      const changes = [c!, a!, b!].map((userKey) => change({ userKey, userId: userKey, sightings: beside }));
      await store.write([], [], () => changes);
      const { projectId } = change({});

      expect(await store.seenWith(projectId, 'cookie', '', 2)).toEqual([a, b]);
      expect(await store.seenWith(projectId, 'cookie', b!, 2)).toEqual([c]);
      expect(await store.seenWith(projectId, 'other', '', 2)).toEqual([]);
    });

    test('the anonymous id that a user is known by is the only one of that user', async () => {
      const { write, find } = someone(openDatabase(), generation);

      await write({ anonymousId: 'a' });

      expect(await find()).toMatchObject({ userId: null, anonymousIds: ['a'] });
    });
  });
}

function seen(numbers: Readonly<Record<string, number>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(numbers).map(([id, number]) => [id, version(number)]));
}
