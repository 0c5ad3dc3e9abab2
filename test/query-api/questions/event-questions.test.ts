import { describe, expect, test } from 'vitest';
import { EventCounts } from '../../../services/query-api/questions/event-counts.ts';
import { EventList } from '../../../services/query-api/questions/event-list.ts';
import { readCountsQuestion, readEventsQuestion } from '../../../services/query-api/questions/read-question.ts';
import { AMPLE, insert, MessageMaker } from '../../support/analytics.ts';
import { sharedStore, testedAnalytics } from '../../support/analytics-stores.ts';
import { PROJECT } from '../../support/reading-server.ts';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const NOON = BigInt(NOON_MS) * 1000n;
const DAY = 86_400_000_000n;

function request(body: object): Parameters<typeof readCountsQuestion>[0] {
  return { project: PROJECT, params: {}, query: new URLSearchParams(), text: JSON.stringify(body) };
}

describe.each(await testedAnalytics())('questions about events in $name', (tested) => {
  const store = sharedStore(tested);

  async function count(make: MessageMaker, body: object, limits = AMPLE) {
    const read = readCountsQuestion(request(body));
    if (!read.ok) throw new Error(read.refusal.detail);
    return new EventCounts(store(), limits, () => NOON_MS).count(make.projectId, read.value);
  }

  async function list(make: MessageMaker, body: object, limits = AMPLE) {
    const read = readEventsQuestion(request(body));
    if (!read.ok) throw new Error(read.refusal.detail);
    return new EventList(store(), limits, () => NOON_MS).page(make.projectId, read.value);
  }

  test('events of another project are neither listed nor counted', async () => {
    const [make, other] = [new MessageMaker(), new MessageMaker()];
    await insert(store(), [make.track(), other.track(), other.track()]);

    expect((await count(make, { measure: 'count' }))?.series.map(({ values }) => values)).toEqual([['1']]);
    expect((await list(make, {})).events).toHaveLength(1);
    expect(await list(new MessageMaker(), {})).toEqual({ events: [], nextCursor: null });
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
