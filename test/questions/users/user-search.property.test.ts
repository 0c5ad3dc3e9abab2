import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { prefixQuery, type UserNameRow } from '../../../services/questions/users/user-search.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { propertyRun } from '../../support/property-run.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const UNITS = ['a', 'b', '%', '_', '\\', "'", 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{1f600}', '\u{10ffff}'];
const names = (minLength: number) => fc.string({ unit: fc.constantFrom(...UNITS), minLength, maxLength: 4 });
const searches = fc.record({
  userIds: fc.uniqueArray(names(1), { minLength: 1, maxLength: 20 }),
  prefix: names(0),
  limit: fc.integer({ min: 1, max: 5 }),
});

describe.each(await testedAnalytics())('users by the beginning of their id, in $name', (tested) => {
  const store = sharedStore(tested);

  async function allWith(projectId: string, prefix: string, limit: number): Promise<UserNameRow[]> {
    const found = new Map<string, UserNameRow>();
    for (let size = limit, last: string | null = null; size === limit;) {
      const { rows } = await store().ask(prefixQuery(projectId, prefix, last, limit), AMPLE);
      for (const row of rows as readonly unknown[] as UserNameRow[]) found.set((last = row.user_id), row);
      size = rows.length;
    }
    return [...found.values()];
  }

  test('pages of any prefix have its users once, in the order of bytes', async () => {
    await fc.assert(
      fc.asyncProperty(searches, async ({ userIds, prefix, limit }) => {
        const make = new MessageMaker();
        const nameless = make.track({ userId: null, userKey: 'f'.repeat(64), anonymousId: 'a' });
        const messages = userIds.map((userId) => make.track({ userId }));
        await insert(store(), [...messages, nameless]);
        await insert(store(), messages.slice(0, 3), 100n);
        await insert(store(), [new MessageMaker().track({ userId: `${prefix}a` })]);

        const found = await allWith(make.projectId, prefix, limit);

        const expected = userIds
          .filter((userId) => userId.startsWith(prefix))
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(found).toEqual(
          expected.map((userId) => ({ user_id: userId, internal_id: userKeyOf(make.projectId, userId) })),
        );
      }),
      propertyRun(15 * tested.share),
    );
  }, 240_000);
});
