import { describe, expect, test } from 'vitest';
import { countEvents } from '../../../services/questions/events/event-counts.ts';
import { listEvents } from '../../../services/questions/events/event-list.ts';
import { readCountsQuestion, readEventsQuestion } from '../../../services/questions/events/read-question.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { EARLIEST, END_OF_TIME } from '../../../services/messages/timestamp.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const DAY = 86_400_000_000n;

function request(body: object): Parameters<typeof readCountsQuestion>[0] {
  return { project: PROJECT, text: JSON.stringify(body) };
}

describe.each(await testedAnalytics())('questions about events in $name', (tested) => {
  const store = sharedStore(tested);

  async function count(make: MessageMaker, body: object, limits = AMPLE) {
    const read = readCountsQuestion(request(body));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return countEvents(new QueryBudget(store(), limits), { projectId: make.projectId, now: NOON }, read.value);
  }

  async function list(make: MessageMaker, body: object, limits = AMPLE) {
    const read = readEventsQuestion(request(body));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return listEvents(new QueryBudget(store(), limits), { projectId: make.projectId, now: NOON }, read.value);
  }

  test('events of another project are neither listed nor counted', async () => {
    const [make, other] = [new MessageMaker(), new MessageMaker()];
    await insert(store(), [make.track(), other.track(), other.track()]);

    expect((await count(make, { measure: 'count' }))?.series.map(({ values }) => values)).toEqual([['1']]);
    expect((await list(make, {})).events).toHaveLength(1);
    expect(await list(new MessageMaker(), {})).toEqual({ events: [], nextCursor: null });
  });

  async function listAll(make: MessageMaker, limit: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list(make, { limit, ...(cursor !== undefined && { cursor }) });
      ids.push(...page.events.map(({ messageId }) => messageId));
      cursor = page.nextCursor;
    }
    return ids;
  }

  test('events of one time are listed by their arrival, whoever did them and whatever their ids', async () => {
    const make = new MessageMaker();
    const events = Array.from({ length: 12 }, (_, n) =>
      make.track({ timestamp: NOON, messageId: `m${(7 * n) % 12}`, userId: `u${n % 3}`, event: `E${n % 2}` }),
    );
    await insert(store(), events);

    for (const limit of [1, 5, 50])
      expect(await listAll(make, limit)).toEqual(events.toReversed().map(({ messageId }) => messageId));
  });

  test('the events of the first and of the last microsecond of time are listed and counted', async () => {
    const make = new MessageMaker();
    const times = [EARLIEST, NOON, END_OF_TIME - 1n];
    await insert(
      store(),
      times.map((timestamp, n) => make.track({ timestamp, messageId: `m${n}` })),
    );

    expect(await listAll(make, 1)).toEqual(['m2', 'm1', 'm0']);
    expect(await listAll(make, 50)).toEqual(['m2', 'm1', 'm0']);
    expect(
      (await store().userEvents({ projectId: make.projectId, userKey: userKeyOf(make.projectId, 'ada'), limit: 9 }))
        .length,
    ).toBe(3);
  });

  test('the period before is counted with the values of this one', async () => {
    const make = new MessageMaker();
    const at = (days: bigint, plan: string) =>
      make.track({ timestamp: NOON - days * DAY, properties: `{"plan":"${plan}"}` });
    await insert(store(), [
      at(1n, 'pro'),
      at(2n, 'pro'),
      at(1n, 'free'),
      at(8n, 'pro'),
      at(9n, 'trial'),
      at(9n, 'free'),
    ]);

    const body = { measure: 'count', within: { last: '7d' }, split: { property: 'plan', top: 1 }, compare: 'previous' };
    expect((await count(make, body))?.series).toEqual([
      { value: '"pro"', isOther: false, values: ['2'], previous: ['1'] },
      { value: 'null', isOther: true, values: ['1'], previous: ['2'] },
    ]);
  });

  test.each([
    ['time', { maxMs: 1 }],
    ['memory', { maxMemoryBytes: 1000 }],
    ['rows', { maxRowsRead: 1 }],
  ])('a question that exceeds its limit of %s fails with QUERY_LIMIT', async (_, limit) => {
    const make = new MessageMaker();
    await insert(
      store(),
      Array.from({ length: 300 }, (__, index) => make.track({ userId: `user ${index}`, properties: `{"n":${index}}` })),
    );
    const users = { any: Array.from({ length: 90 }, (__, index) => ({ event: `e${index}`, count: { at_least: 2 } })) };
    const not = { not: users };

    const body = { measure: 'sum', of: 'n', users: not, split: { property: 'n', top: 50 } };
    await expect(count(make, body, { ...AMPLE, ...limit })).rejects.toMatchObject({ code: 'QUERY_LIMIT' });
    await expect(list(make, { users: not }, { ...AMPLE, ...limit })).rejects.toMatchObject({ code: 'QUERY_LIMIT' });
  });
});
