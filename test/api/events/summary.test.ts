import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../schemas/operations.ts';
import { Summaries } from '../../../services/questions/events/summaries.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Track } from '../../../services/messages/message.ts';
import { PROJECT, READ_KEY, ReadingServer } from '../../support/http/reading-server.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const at = (day: number, time: string): bigint => BigInt(Date.parse(`2026-11-${day}T${time}Z`)) * 1_000n;
const NOW = at(20, '12:34:00');

describe.each(await testedAnalytics())('a summary in $name', (tested) => {
  const store = sharedStore(tested);

  const found = async (projectId: string) =>
    new Summaries({ analytics: store(), limitsOf: () => AMPLE }).of({ ...PROJECT, id: projectId }, NOW);

  test('the hour that is not over and the 23 before it are compared with the same time a day before', async () => {
    const make = new MessageMaker();
    const did = (userId: string, event: string, timestamp: bigint): Track => make.track({ userId, event, timestamp });
    await insert(store(), [
      did('ada', 'Viewed', NOW),
      did('ada', 'Viewed', at(20, '12:00') - 1n),
      did('bob', 'Bought', at(19, '13:00')),
      // Between the two periods, after them and before them.
      did('eve', 'Viewed', at(19, '12:34') + 1n),
      did('eve', 'Viewed', at(19, '12:59')),
      did('eve', 'Viewed', NOW + 1n),
      did('eve', 'Viewed', at(18, '13:00') - 1n),
      did('bob', 'Viewed', at(19, '12:34:00')),
      did('cleo', 'Viewed', at(18, '13:00')),
      did('cleo', 'Left', at(18, '13:30')),
      new MessageMaker().track({ timestamp: NOW }),
    ]);

    const { from, to, hours, days: _, ...figures } = await found(make.projectId);

    expect([from, to]).toEqual([at(19, '13:00'), NOW]);
    expect(figures).toEqual({
      events: { count: 3, before: 3 },
      activeUsers: { count: 2, before: 2 },
      // Nobody is new twice: bob and eve are known from a day before or longer.
      newUsers: { count: 1, before: 2 },
      topEvents: [
        { name: 'Viewed', count: 2, before: 2 },
        { name: 'Bought', count: 1, before: 0 },
      ],
    });
    const some = hours.flatMap(({ count, before }, hour) => (count + before > 0 ? [[hour, { count, before }]] : []));
    expect(hours.map(({ start }) => start)).toEqual(hours.map((_, hour) => from + BigInt(hour) * 3_600_000_000n));
    expect(hours).toHaveLength(24);
    expect(some).toEqual([
      [0, { count: 1, before: 2 }],
      [22, { count: 1, before: 0 }],
      [23, { count: 1, before: 1 }],
    ]);
  });

  test('the seven days end with the period, and each has its events, and users by the day of their first message', async () => {
    const make = new MessageMaker();
    const did = (userId: string, timestamp: bigint): Track => make.track({ userId, event: 'Viewed', timestamp });
    await insert(store(), [
      did('ada', NOW),
      did('ada', at(19, '12:59')),
      did('bob', at(19, '12:59')),
      did('bob', at(18, '13:00')),
      did('cleo', at(13, '13:00')),
      // A moment before the first day.
      did('dora', at(13, '13:00') - 1n),
      did('dora', at(14, '13:00') - 1n),
      new MessageMaker().track({ timestamp: NOW }),
    ]);

    const { days, from } = await found(make.projectId);

    expect(days.map(({ start }) => start)).toEqual([...days.keys()].map((n) => from - BigInt(6 - n) * 86_400_000_000n));
    expect(days.map(({ events, activeUsers, newUsers }) => [events, activeUsers, newUsers])).toEqual([
      [2, 2, 1],
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
      [3, 2, 2],
      [1, 1, 0],
    ]);
  });

  test('a message sent again counts once, and the five most frequent names are listed', async () => {
    const make = new MessageMaker();
    const names = ['f', 'e', 'd', 'c', 'b', 'a'];
    const messages = names.flatMap((event, n) =>
      Array.from({ length: n + 1 }, () => make.track({ event, timestamp: at(20, '01:00') })),
    );
    await insert(store(), messages);
    await insert(store(), messages, 100n);

    const { events, topEvents } = await found(make.projectId);

    expect(events).toEqual({ count: 21, before: 0 });
    expect(topEvents.map(({ name, count }) => [name, count])).toEqual([
      ['a', 6],
      ['b', 5],
      ['c', 4],
      ['d', 3],
      ['e', 2],
    ]);
  });

  test('a project without events has zeros', async () => {
    const { events, activeUsers, newUsers, hours, topEvents, days } = await found('proj_nothing');

    const none = { count: 0, before: 0 };
    expect([events, activeUsers, newUsers, ...hours.map(({ count, before }) => ({ count, before }))]).toEqual(
      Array.from({ length: 27 }, () => none),
    );
    expect(topEvents).toEqual([]);
    expect(days.map((day) => [day.events, day.activeUsers, day.newUsers])).toEqual(
      Array.from({ length: 7 }, () => [0, 0, 0]),
    );
  });
});

describe('the summary over HTTP', () => {
  let server: ReadingServer;

  beforeAll(async () => {
    server = await ReadingServer.start();
  });
  afterAll(() => server.stop());

  test('a key that may read is told its hours by their beginnings', async () => {
    const response = await server.request('/v1/summary', {}, READ_KEY);
    const { from, hours } = (await response.json()) as Answer<'GET /v1/summary'>;

    expect(response.status).toBe(200);
    expect(hours.map(({ start }) => Date.parse(start) - Date.parse(from))).toEqual(
      Array.from({ length: 24 }, (_, hour) => hour * 3_600_000),
    );
  });
});

test('an answer is kept for ten seconds, the days before it for five minutes, and a failure is not', async () => {
  let [nowMs, asked, isBroken] = [0, 0, true];
  const server = await ReadingServer.start();
  server.analytics.answer = () => {
    asked += 1;
    return isBroken
      ? new TidemarkError('STORE_UNAVAILABLE', 'as ordered')
      : { rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 };
  };
  const summaries = new Summaries({ analytics: server.analytics, limitsOf: () => AMPLE, monotonicMs: () => nowMs });
  await expect(summaries.of(PROJECT, NOW)).rejects.toThrow('as ordered');
  isBroken = false;
  asked = 0;

  await Promise.all([summaries.of(PROJECT, NOW), summaries.of(PROJECT, NOW)]);
  nowMs = 9_999;
  await summaries.of(PROJECT, NOW);
  const once = asked;
  nowMs = 10_000;
  await summaries.of(PROJECT, NOW);
  const twice = asked;
  nowMs = 300_000;
  await summaries.of(PROJECT, NOW);

  expect([once, twice, asked]).toEqual([4, 6, 10]);
  await server.stop();
});

test('days past the limits of the project are left out, and the period stands alone', async () => {
  const server = await ReadingServer.start();
  server.analytics.answer = ({ sql }) =>
    sql.includes(' AS nth')
      ? new TidemarkError('QUERY_LIMIT', 'as ordered')
      : { rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 };
  const summaries = new Summaries({ analytics: server.analytics, limitsOf: () => AMPLE });

  const { days, from } = await summaries.of(PROJECT, NOW);

  expect(days).toEqual([{ start: from, events: 0, activeUsers: 0, newUsers: 0 }]);
  await server.stop();
});
