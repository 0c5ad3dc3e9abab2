import { describe, expect, test } from 'vitest';
import { previewAudience } from '../../services/questions/audiences.ts';
import { readDefinition } from '../../services/questions/definition/definition.ts';
import { explainMembership } from '../../services/questions/explain/why.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { exactly, NOW } from '../support/messages/random-history.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';

const HOUR = 3_600_000_000n;
const DAY = 24n * HOUR;
const CART = { event: 'Added to Cart', not_followed_by: { event: 'Ordered', within: '24h' } };

describe.each(await testedAnalytics())('a sequence of events in $name', (tested) => {
  const store = sharedStore(tested);

  /** A user for each list: the times of "Added to Cart" and of "Ordered", before the evaluation. */
  async function projectWith(users: Record<string, readonly [carts: bigint[], orders: bigint[]]>): Promise<string> {
    const make = new MessageMaker();
    const messages = Object.entries(users).flatMap(([userId, [carts, orders]]) =>
      [carts, orders].flatMap((ages, index) =>
        ages.map((age) =>
          make.track({
            userId,
            userKey: userKeyOf(make.projectId, userId),
            event: index === 0 ? 'Added to Cart' : 'Ordered',
            properties: `{"age":${age}}`,
            timestamp: NOW - age,
          }),
        ),
      ),
    );
    await insert(store(), messages);
    return make.projectId;
  }

  function definitionOf(definition: unknown) {
    const read = readDefinition(exactly(JSON.stringify(definition)), { timezone: 'UTC' });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.definition;
  }

  async function found(projectId: string, definition: unknown): Promise<readonly string[]> {
    const options = { projectId, now: NOW, sampleSize: 100 };
    return (await previewAudience(new QueryBudget(store(), AMPLE), definitionOf(definition), options)).sample;
  }

  test('a later event follows if it is later than the other, or of its time and arrived later, up to the whole time', async () => {
    const projectId = await projectWith({
      atOnce: [[3n * DAY], [3n * DAY]],
      before: [[3n * DAY], [3n * DAY + 1n]],
      soon: [[3n * DAY], [3n * DAY - 1n]],
      atTheEnd: [[3n * DAY], [2n * DAY]],
      late: [[3n * DAY], [2n * DAY - 1n]],
    });
    const { not_followed_by: later, ...cart } = CART;

    expect(await found(projectId, CART)).toEqual(['before', 'late']);
    expect(await found(projectId, { ...cart, followed_by: later })).toEqual(['atOnce', 'atTheEnd', 'soon']);
    expect(await found(projectId, { ...cart, followed_by: { ...later, where: [{ property: 'age', lt: 1 }] } })).toEqual(
      [],
    );
  });

  test('an event is not followed from the microsecond on at which the time after it is over, and why says when', async () => {
    const projectId = await projectWith({ over: [[DAY], []], open: [[DAY - 1n], []], left: [[30n * DAY + 1n], []] });
    const lately = { ...CART, within: { last: '30d' } };
    const changesAt = async (userId: string) => {
      const user = { projectId, userKey: userKeyOf(projectId, userId), now: NOW, eventsShown: 1 };
      return (await explainMembership(store(), AMPLE, definitionOf(lately), '', user))?.evaluation.changesAt;
    };

    expect(await found(projectId, lately)).toEqual(['over']);
    expect(await changesAt('open')).toBe(NOW + 1n);
    expect(await changesAt('over')).toBe(NOW + 29n * DAY + 1n);
    expect(await changesAt('left')).toBeNull();
  });

  test('any of the events, or the first or the last alone, is looked at', async () => {
    const projectId = await projectWith({
      first: [[9n * DAY, 5n * DAY], [5n * DAY - 1n]],
      last: [[9n * DAY, 5n * DAY], [9n * DAY - 1n]],
      both: [[9n * DAY, 5n * DAY], []],
      open: [[9n * DAY, HOUR], []],
      none: [[], [DAY]],
    });

    expect(await found(projectId, CART)).toEqual(['both', 'first', 'last', 'open']);
    expect(await found(projectId, { ...CART, which: 'first' })).toEqual(['both', 'first', 'open']);
    expect(await found(projectId, { ...CART, which: 'last' })).toEqual(['both', 'last']);
    expect(await found(projectId, { ...CART, count: { at_least: 2 } })).toEqual(['both']);
    expect(await found(projectId, { ...CART, count: { at_most: 0 } })).toEqual(['none']);
    expect(await found(projectId, { ...CART, last: { before: '8d' } })).toEqual(['first', 'open']);
  });

  test('an event that nothing followed in time is that of somebody who did not come back', async () => {
    const gone = { event: 'Ordered', not_followed_by: { event: { any: true }, within: '7d' } };
    const projectId = await projectWith({
      gone: [[20n * DAY], [9n * DAY]],
      cameBack: [[8n * DAY], [9n * DAY]],
      orderedAgain: [[], [9n * DAY, 8n * DAY]],
      atOnceAndAfter: [[9n * DAY], [9n * DAY]],
      beforeAtOnce: [[9n * DAY + 1n], [9n * DAY]],
      late: [[2n * DAY - 1n], [9n * DAY]],
      open: [[], [7n * DAY - 1n]],
    });
    const { not_followed_by: anything, ...order } = gone;

    expect(await found(projectId, gone)).toEqual(['atOnceAndAfter', 'beforeAtOnce', 'gone', 'late', 'orderedAgain']);
    expect(await found(projectId, { ...gone, which: 'first' })).toEqual([
      'atOnceAndAfter',
      'beforeAtOnce',
      'gone',
      'late',
    ]);
    expect(await found(projectId, { ...order, followed_by: anything })).toEqual(['cameBack', 'orderedAgain']);
  });

  test('each event of a sequence is later than the one before, and in time after that one', async () => {
    const step = (event: string, next?: object) => ({ event, within: '24h', ...(next && { followed_by: next }) });
    const threeCarts = { event: 'Added to Cart', followed_by: step('Added to Cart', step('Added to Cart')) };
    const bought = { event: 'Added to Cart', followed_by: step('Ordered', step('Added to Cart')) };
    const projectId = await projectWith({
      three: [[9n * DAY, 8n * DAY, 7n * DAY], [8n * DAY + HOUR]],
      twoAtOnce: [[9n * DAY, 8n * DAY, 8n * DAY], []],
      gap: [
        [9n * DAY, 8n * DAY, 7n * DAY - 1n],
        [8n * DAY - HOUR, 8n * DAY - 2n * HOUR],
      ],
      // Each of the two is there, but no order stands between two carts.
      wrongOrder: [
        [9n * DAY, 8n * DAY],
        [9n * DAY + HOUR, 7n * DAY],
      ],
    });

    expect(await found(projectId, threeCarts)).toEqual(['three', 'twoAtOnce']);
    expect(await found(projectId, bought)).toEqual(['gap', 'three']);
    expect(await found(projectId, { ...bought, which: 'last' })).toEqual([]);
  });

  test('an event can be followed by another of the same name', async () => {
    const projectId = await projectWith({ twice: [[3n * DAY, 3n * DAY - 1n], []], once: [[3n * DAY], []] });
    const again = { event: 'Added to Cart', followed_by: { event: 'Added to Cart', within: '1h' } };

    expect(await found(projectId, again)).toEqual(['twice']);
  });
});
