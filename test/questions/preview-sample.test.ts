import { describe, expect, test } from 'vitest';
import { previewAudience } from '../../services/questions/audiences.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import { readDefinition } from '../../services/questions/definition/definition.ts';
import { anonymousKeyOf, userKeyOf } from '../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;

describe.each(await testedAnalytics())('the sample of a preview in $name', (tested) => {
  const store = sharedStore(tested);

  async function preview({ projectId }: MessageMaker, definition: object, sampleSize = 1000) {
    const read = readDefinition(definition, { timezone: 'UTC' });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return previewAudience(new QueryBudget(store(), AMPLE), read.definition, { projectId, now: NOON, sampleSize });
  }

  test('a preview counts users and names some of them', async () => {
    const make = new MessageMaker();
    const identified = ['ada', 'bob', 'eve'].map((userId) => make.identify({ userId, traits: '{"plan":"pro"}' }));
    await insert(store(), identified);

    const found = await preview(make, { trait: 'plan', is: 'pro' }, 2);

    expect(found).toEqual({
      count: 3,
      sample: [expect.any(String), expect.any(String)],
      sampleUsers: [expect.any(Object), expect.any(Object)],
      tookMs: expect.any(Number),
      rowsRead: expect.any(Number),
    });
    expect(found.rowsRead).toBeGreaterThanOrEqual(6);
  });

  test('a preview counts a user known only by the internal id, and does not name that user', async () => {
    const make = new MessageMaker();
    await insert(store(), [make.track({ userId: null, userKey: 'ab'.repeat(32) })]);

    expect(await preview(make, { event: 'Order Completed' })).toMatchObject({ count: 1, sample: [] });
  });

  test('a preview names some users by whatever they are known by', async () => {
    const make = new MessageMaker();
    const { projectId } = make;
    const ada = userKeyOf(projectId, 'ada');
    const cookie = anonymousKeyOf(projectId, 'cookie');
    const internal = 'ab'.repeat(32);
    const half = userKeyOf(projectId, 'half');
    // In parts of their own, so that a row without the user id is there beside one with it.
    await insert(store(), [make.track({ userId: null, userKey: half })], 1n);
    await insert(
      store(),
      [make.track({ userId: 'half', userKey: half }), make.track({ userId: 'ada', userKey: ada })],
      2n,
    );
    await insert(store(), [make.track({ userId: null, anonymousId: 'cookie', userKey: cookie })], 4n);
    await insert(store(), [make.track({ userId: null, userKey: internal })], 5n);
    const all = [
      { userId: 'ada', anonymousId: null, userKey: ada },
      { userId: 'half', anonymousId: null, userKey: half },
      { userId: null, anonymousId: 'cookie', userKey: cookie },
      { userId: null, anonymousId: null, userKey: internal },
    ].toSorted((one, other) => (one.userKey < other.userKey ? -1 : 1));

    const whole = await preview(make, { event: 'Order Completed' }, 4);
    const two = await preview(make, { event: 'Order Completed' }, 2);
    const none = await preview(make, { event: 'Order Completed' }, 0);

    expect(whole).toMatchObject({ count: 4, sample: ['ada', 'half'], sampleUsers: all });
    const named = two.sampleUsers.map(({ userId, anonymousId, userKey }) => ({ userId, anonymousId, userKey }));
    expect(all).toEqual(expect.arrayContaining(named));
    expect([two.sampleUsers.length, none.sampleUsers.length]).toEqual([2, 0]);
  });

  test('a preview names users by their ids, however few of many have one', async () => {
    const make = new MessageMaker();
    const cookies = Array.from({ length: 60 }, (_, index) => `cookie ${index}`);
    await insert(store(), [
      ...cookies.map((anonymousId) =>
        make.track({ userId: null, anonymousId, userKey: anonymousKeyOf(make.projectId, anonymousId) }),
      ),
      ...['ada', 'bob', 'eve'].map((userId) => make.track({ userId, userKey: userKeyOf(make.projectId, userId) })),
    ]);

    const ordered = await preview(make, { event: 'Order Completed' }, 2);
    const not = await preview(make, { event: 'Never', count: { at_most: 0 } }, 5);

    expect([ordered.count, ordered.sample.length, ordered.sampleUsers.length]).toEqual([63, 2, 2]);
    expect(['ada', 'bob', 'eve']).toEqual(expect.arrayContaining([...ordered.sample]));
    expect([not.count, not.sample, not.sampleUsers.length]).toEqual([63, ['ada', 'bob', 'eve'], 5]);
  });
});
