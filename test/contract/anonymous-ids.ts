import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import { someone } from './profile-store.ts';

/** What the store of profiles does with anonymous ids, on a migrated database that other tests may share. */
export function testAnonymousIds(name: string, openDatabase: () => Database, generation = 1): void {
  describe(`SqlProfileStore of generation ${generation} on ${name}, with anonymous ids`, () => {
    test('anonymous ids seen beside a user id are found newest first, each at the last time it was seen', async () => {
      const { write, find } = someone(openDatabase(), generation);
      await write({ userId: 'ada', anonymousIds: new Map(Object.entries({ a: 5n, b: 4n, '\uff5e': 3n })) });

      await write({ userId: 'ada', anonymousIds: new Map(Object.entries({ a: 1n, '\uff5e': 9n, '\u{1f600}': 9n })) });

      expect((await find())?.anonymousIds).toEqual(['\uff5e', '\u{1f600}', 'a', 'b']);
    });

    test('the hundred anonymous ids seen last are kept, in whatever order they come', async () => {
      const ids = Array.from({ length: 130 }, (_, n): [string, bigint] => [`id-${n}`, BigInt(n)]);
      const newest = ids.slice(30).map(([id]) => id);
      for (const order of [ids, ids.toReversed(), [...ids.slice(60), ...ids]]) {
        const { write, find } = someone(openDatabase(), generation);
        for (let at = 0; at < order.length; at += 45)
          await write({ userId: 'ada', anonymousIds: new Map(order.slice(at, at + 45)) });

        expect((await find())?.anonymousIds).toEqual(newest.toReversed());
      }
    });

    test('the users whom an anonymous id was sent beside are listed by internal id, page by page', async () => {
      const { store, change } = someone(openDatabase(), generation);
      const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
      const beside = new Map([['cookie', 1n]]);
      const changes = [c!, a!, b!].map((userKey) => change({ userKey, userId: userKey, anonymousIds: beside }));
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
