import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import { tableOf } from '../../services/stores/generations/generation.ts';
import { compareBytes } from '../../services/stores/profiles/newest-traits.ts';
import { endOfPrefix } from '../../services/stores/profiles/user-search.ts';
import type { ProfileStore } from '../../services/stores/profiles/profile-store.ts';
import { randomUserKey } from '../support/random-project.ts';
import { someone } from './profile-store.ts';

const UNITS = ['a', 'b', '%', '_', '\\', 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{1f600}', '\u{10ffff}'];
const names = (minLength: number) => fc.string({ unit: fc.constantFrom(...UNITS), minLength, maxLength: 4 });

/** How any ProfileStore finds users by the beginning of their user id, on a migrated database. */
export function testUserSearch(name: string, openDatabase: () => Database, generation = 1): void {
  describe(`SqlProfileStore of generation ${generation} on ${name}, searched by user id`, () => {
    test('pages of any prefix have its users once, in the order of bytes', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(names(1), { maxLength: 20 }),
          names(0),
          fc.integer({ min: 1, max: 5 }),
          async (userIds, prefix, limit) => {
            const { store, change } = someone(openDatabase(), generation);
            const changes = userIds.map((userId) => change({ userId, userKey: randomUserKey() }));
            await store.write([], [], () => [...changes, change({ userId: null, userKey: randomUserKey() })]);

            const found = await allWithPrefix(store, change({}).projectId, prefix, limit);

            const expected = userIds.filter((userId) => userId.startsWith(prefix)).sort(compareBytes);
            expect(found).toEqual(expected);
          },
        ),
        { numRuns: 40 },
      );
    });

    test('users of other projects are not found', async () => {
      const { write } = someone(openDatabase(), generation);
      await write({ userId: 'ada' });
      const other = someone(openDatabase(), generation);

      expect(await allWithPrefix(other.store, other.change({}).projectId, '', 10)).toEqual([]);
    });

    test('the index of user ids answers a search, whatever a project has', async () => {
      const { store, change } = someone(openDatabase(), generation);
      const many = Array.from({ length: 3_000 }, (_, n) => change({ userId: `u${n}`, userKey: randomUserKey() }));
      await store.write([], [], () => many);

      const plan = await openDatabase().query<{ 'QUERY PLAN': string }>(
        `explain select user_id from ${tableOf('profiles', generation, 'users')} where project_id = $1 and user_id >= $2 and user_id < $3
         order by user_id limit 50`,
        [change({}).projectId, 'u1', endOfPrefix('u1')],
      );

      expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('users_by_user_id');
    });
  });
}

async function allWithPrefix(store: ProfileStore, projectId: string, prefix: string, limit: number) {
  const found: string[] = [];
  for (let size = limit; size === limit;) {
    const page = await store.withPrefix(projectId, prefix, found.at(-1) ?? '', limit);
    size = page.length;
    found.push(...page.map(({ userId }) => userId));
  }
  return found;
}
