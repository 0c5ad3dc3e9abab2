import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import type { ProfileChange } from '../../services/stores/profiles/profile.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { randomProjectId } from '../support/messages/random-project.ts';
import { someone } from './profile-store.ts';

/** What the store of profiles answers of several users at once, on a migrated database that other tests may share. */
export function testProfilePages(name: string, openDatabase: () => Database, generation = 1): void {
  describe(`SqlProfileStore of generation ${generation} on ${name}, with pages of users`, () => {
    test('a page of users has their order and ends once it has enough characters', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const projectId = randomProjectId();
      const user = (): ProfileChange => someone(openDatabase(), generation).change({ projectId });
      const [first, stranger, wide, last] = [user(), user(), user(), user()] as const;
      const traits = new Map([['n', { value: JSON.stringify('x'.repeat(90)), version: '1'.padStart(32, '0') }]]);
      await store.write([], [], () => [first, { ...wide, traits }, last]);
      const pageOf = async (maxChars: number, ...users: ProfileChange[]) => {
        const keys = users.map(({ userKey }) => userKey);
        return (await store.findPage(projectId, keys, maxChars)).map((profile) => profile?.userKey);
      };

      expect(await pageOf(1_000, last, stranger, wide, first)).toEqual([
        last.userKey,
        undefined,
        wide.userKey,
        first.userKey,
      ]);
      expect(await pageOf(50, first, stranger, wide, last)).toEqual([first.userKey, undefined, wide.userKey]);
      expect(await pageOf(50)).toEqual([]);
      expect(await store.findPage(projectId, [wide.userKey], 50)).toEqual([await store.find(projectId, wide.userKey)]);
    });

    test('the traits at some paths come as the profile has them, every digit kept, and end once they have enough', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const projectId = randomProjectId();
      const user = (): ProfileChange => someone(openDatabase(), generation).change({ projectId });
      const [full, stranger, bare] = [user(), user(), user()] as const;
      const version = '1'.padStart(32, '0');
      const values = { email: '"=a,\\"🌊"', account: '{"plan":"pro","seats":[1.10,20000000000000000001]}', gone: null };
      const traits = new Map(Object.entries(values).map(([name, value]) => [name, { value, version }]));
      await store.write([], [], () => [{ ...full, traits }, bare]);
      const keys = [bare, full, stranger].map(({ userKey }) => userKey);
      const paths = [['email'], ['account', 'plan'], ['account', 'seats', '1'], ['gone'], ['email', 'x'], []];

      const [ofBare, ofFull, ofStranger] = await store.traitsPage(projectId, keys, paths, 1_000);

      const whole = (await store.find(projectId, full.userKey))?.traits;
      expect(ofFull).toEqual([values.email, '"pro"', '20000000000000000001', null, null, whole]);
      expect([ofBare, ofStranger]).toEqual([paths.map(() => null), paths.map(() => null)]);
      expect(await store.traitsPage(projectId, [full.userKey, ...keys], [['email']], 5)).toEqual([[values.email]]);
      expect(await store.traitsPage(projectId, [], paths, 5)).toEqual([]);
    });
  });
}
