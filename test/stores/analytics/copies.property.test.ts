import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredEvent } from '../../../services/stores/analytics/analytics-store.ts';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { explainMembership } from '../../../services/questions/explain/why.ts';
import { DAY_MICROS, dayOf } from '../../../services/messages/day-and-hour.ts';
import type { Track } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { AMPLE, ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { propertyRun } from '../../support/property-run.ts';
import { NOW } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const SECOND = 1_000_000n;
const DAY = DAY_MICROS;
// About the limit of a day, and about the month that repeats are told for elsewhere.
const AGES = [0n, SECOND, DAY / 2n - 1n, DAY / 2n, DAY, 29n * DAY, 31n * DAY, 90n * DAY, 25_000n * DAY];
const EVENTS = ['A', 'B'];

const histories = fc.array(
  fc.record({
    event: fc.constantFrom(...EVENTS),
    id: fc.constantFrom('m1', 'm2', 'm3'),
    age: fc.constantFrom(...AGES),
    /** When it arrived: into one of two partitions of the tables. */
    monthsAgo: fc.nat(1),
  }),
  { minLength: 1, maxLength: 20 },
);

/** One rule for later copies: of (user, event, message id) the first copy of each day; what is counted is the distinct ids. */
describe.each(await testedAnalytics())('of the copies of a track, in $name', (tested) => {
  const store = sharedStore(tested);

  test('lists, views, audiences and why agree on copies', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (history, choice) => {
        const make = new MessageMaker();
        const messages = history.map(({ event, id, age, monthsAgo }) =>
          make.track({ event, messageId: id, timestamp: NOW - age, receivedAt: NOW - BigInt(monthsAgo) * 31n * DAY }),
        );
        const cut = choice % messages.length;
        await insert(store(), messages.slice(cut), BigInt(cut));
        await insert(store(), messages.slice(0, cut + 1));
        const expected = firstCopies(messages);

        await expectLists(make, expected);
        await expectViews(make, expected);
        for (const event of EVENTS) await expectCounts(make, event, expected);
      }),
      propertyRun(10 * tested.share),
    );
  }, 240_000);

  async function expectLists(make: MessageMaker, expected: readonly Track[]): Promise<void> {
    for (const limit of [1, 50]) {
      for (const event of [undefined, ...EVENTS]) {
        const wanted = expected.filter((message) => event === undefined || message.event === event);
        const listed = await listedEvents(make, limit, event);
        expect([limit, event, listed.map(named)]).toEqual([limit, event, wanted.map(named)]);
      }
    }
  }

  async function listedEvents(make: MessageMaker, limit: number, event: string | undefined): Promise<StoredEvent[]> {
    const user = { projectId: make.projectId, userKey: userKeyOf(make.projectId, 'ada') };
    const listed: StoredEvent[] = [];
    for (let size = limit; size === limit;) {
      const after = listed.at(-1);
      const page = await store().userEvents({ ...user, limit, ...(event && { event }), ...(after && { after }) });
      size = page.length;
      listed.push(...page);
    }
    return listed;
  }

  async function expectViews({ projectId }: MessageMaker, expected: readonly Track[]): Promise<void> {
    const columns = 'event, message_id, toString(toUnixTimestamp64Micro(timestamp)) AS at';
    const order = 'ORDER BY timestamp DESC, received_at DESC, message_id DESC, event DESC';
    const views = [
      `events WHERE project_id = {projectId:String}`,
      `user_timeline(project = {projectId:String}, user_id = 'ada')`,
    ];
    for (const view of views) {
      const rows = await ask<{ event: string; message_id: string; at: string }>(
        store(),
        `SELECT ${columns} FROM ${view} ${order}`,
        { projectId },
      );
      const found = rows.map((row) => `${row.event} ${row.message_id} ${row.at}`);
      expect([view, found]).toEqual([view, expected.map(named)]);
    }
  }

  /** Compares the counts of all time, and of each day that something happened on. */
  async function expectCounts(make: MessageMaker, event: string, expected: readonly Track[]): Promise<void> {
    const own = expected.filter((message) => message.event === event);
    for (const day of new Set([null, ...own.map(({ timestamp }) => dayOf(timestamp))])) {
      const ids = new Set(
        own.filter((one) => day === null || dayOf(one.timestamp) === day).map(({ messageId }) => messageId),
      );
      const within = day === null ? {} : { within: { between: [isoOf(day * DAY), isoOf((day + 1n) * DAY)] } };
      await expectCount(make, { event, ...within, count: { exactly: ids.size } }, ids.size);
    }
  }

  async function expectCount({ projectId }: MessageMaker, definition: object, count: number): Promise<void> {
    const read = readDefinition(definition, { timezone: 'UTC' });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const preview = await previewAudience(new QueryBudget(store(), AMPLE), read.definition, {
      projectId,
      now: NOW,
      sampleSize: 1,
    });
    const options = { projectId, userKey: userKeyOf(projectId, 'ada'), now: NOW, eventsShown: 10 };
    const why = await explainMembership(store(), AMPLE, read.definition, '', options);

    expect([definition, preview.count, why?.evaluation]).toMatchObject([definition, 1, { isMet: true, count }]);
  }
});

function firstCopies(messages: readonly Track[]): readonly Track[] {
  const first = new Map<string, Track>();
  for (const message of messages) {
    const key = `${message.event} ${message.messageId} ${dayOf(message.timestamp)}`;
    if (!first.has(key)) first.set(key, message);
  }
  return [...first.values()].toSorted((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
}

function placeOf({ timestamp, receivedAt, messageId, event }: Track): string {
  const times = [timestamp, receivedAt].map((micros) => String(micros + 10_000_000_000_000_000n).padStart(20, '0'));
  return [...times, messageId, event].join(' ');
}

function named({ event, messageId, timestamp }: Pick<Track, 'event' | 'messageId' | 'timestamp'>): string {
  return `${event} ${messageId} ${timestamp}`;
}

function isoOf(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString();
}
