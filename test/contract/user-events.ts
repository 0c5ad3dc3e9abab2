import { expect, test } from 'vitest';
import type {
  AnalyticsReader,
  AnalyticsStore,
  EventsQuery,
  StoredEvent,
} from '../../services/stores/analytics/analytics-store.ts';
import { EARLIEST, END_OF_TIME } from '../../services/messages/timestamp.ts';
import { anonymousKeyOf, userKeyOf } from '../../services/messages/user-key.ts';
import { ask, insert, MessageMaker } from '../support/stores/analytics.ts';

/** How any AnalyticsStore reads one user's events. */
export function testUserEvents(store: () => AnalyticsStore): void {
  test('an event comes back as it was sent, to the microsecond and the last digit', async () => {
    const maker = new MessageMaker();
    const track = maker.track({
      timestamp: EARLIEST + 1n,
      receivedAt: END_OF_TIME - 1n,
      sessionId: 's-1',
      anonymousId: 'cookie',
      event: `a "quoted" \\ 事件 😀`,
      properties: '{"n":9007199254740993,"x":1e400,"":{"a.b":[null,{}]}}',
    });

    await insert(store(), [track]);

    const { anonymousId, event, messageId, properties, receivedAt, sessionId, timestamp } = track;
    expect(await eventsOf(store(), maker, 10)).toEqual([
      { anonymousId, event, messageId, properties, receivedAt, sessionId, timestamp },
    ]);
  });

  test('tracks and identifies have the anonymous id that came with them, and the user has it only as a name', async () => {
    const maker = new MessageMaker();
    const alone = { userId: null, userKey: anonymousKeyOf(maker.projectId, 'cookie'), anonymousId: 'cookie' };
    await insert(store(), [
      maker.track({ anonymousId: 'cookie' }),
      maker.track({ userId: 'ben' }),
      maker.identify({ anonymousId: 'cookie' }),
      maker.track({ ...alone }),
    ]);

    const rows = (from: string) =>
      ask(store(), `SELECT anonymous_id FROM ${from} ORDER BY anonymous_id`, { project: maker.projectId });
    const [none, cookie] = [{ anonymous_id: '' }, { anonymous_id: 'cookie' }];
    const mine = 'WHERE project_id = {project:String}';
    expect(await rows(`events ${mine}`)).toEqual([none, cookie, cookie]);
    expect(await rows(`identifies ${mine}`)).toEqual([cookie]);
    expect(await rows(`user_timeline(project = {project:String}, user_id = 'ada')`)).toEqual([cookie]);
    expect(await rows(`users ${mine} AND user_id = ''`)).toEqual([cookie]);
    expect(await rows(`users ${mine} AND user_id != ''`)).toEqual([none, none]);
  });

  test('a time range has the events from its beginning to before its end, and no later copy of one outside it', async () => {
    const maker = new MessageMaker();
    const at = (messageId: string, timestamp: bigint) => maker.track({ messageId, timestamp });
    const [since, until] = [1_000_000n, 5_000_000n];
    const inside = [at('first', since), at('last', until - 1n)];
    const outside = [at('before', since - 1n), at('end', until), at('copied', until)];
    await insert(store(), [...inside, ...outside, at('copied', since + 1n)]);

    for (const limit of [1, 10]) {
      const pages = await allPages(store(), maker, limit, { since, until });
      expect(pages.flat().map(({ messageId }) => messageId)).toEqual(['last', 'first']);
    }
    const from = await allPages(store(), maker, 2, { since });
    expect(from.flat()).toHaveLength(4);
    expect((await allPages(store(), maker, 2, { until })).flat()).toHaveLength(3);
    expect((await allPages(store(), maker, 10, { since: EARLIEST, until: END_OF_TIME })).flat()).toHaveLength(5);
  });

  test('pages are newest first, join without hole or repeat, and the last is short', async () => {
    const maker = new MessageMaker();
    // Three at each instant, told apart by their ids; in two inserts and not in order.
    const events = Array.from({ length: 21 }, (_, n) =>
      maker.track({ timestamp: BigInt(Math.floor(n / 3)) * 1_000_000n, messageId: `m${String(n % 3)}-${n}` }),
    );
    await insert(store(), events.filter((_, n) => n % 2 === 0).toReversed());
    await insert(store(), [...events.filter((_, n) => n % 2 === 1), maker.track({ userId: 'ben' })], 100n);

    const pages = await allPages(store(), maker, 4);

    expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 4, 4, 1]);
    expect(pages.flat().map(({ messageId }) => messageId)).toEqual(
      events.toReversed().map(({ messageId }) => messageId),
    );
  });

  test('events of one time are listed by their arrival, whatever their ids and names, on pages of any length', async () => {
    const maker = new MessageMaker();
    const timestamp = BigInt(Date.UTC(2026, 10, 20)) * 1000n;
    const events = Array.from({ length: 12 }, (_, n) =>
      maker.track({ timestamp, messageId: `m${(7 * n) % 12}`, event: n % 2 === 0 ? 'A' : 'B' }),
    );
    await insert(store(), events.slice(6).toReversed());
    await insert(store(), events.slice(0, 6), 100n);

    for (const limit of [1, 5, 50]) {
      const listed = (await allPages(store(), maker, limit)).flat();

      expect([limit, listed.map(({ messageId }) => messageId)]).toEqual([
        limit,
        events.toReversed().map(({ messageId }) => messageId),
      ]);
    }
  });

  test('only events of one name are read where one is asked for', async () => {
    const maker = new MessageMaker();
    await insert(store(), [maker.track({ event: 'A', messageId: '1' }), maker.track({ event: 'B' })]);

    const events = await store().userEvents({ ...queryOf(maker), event: 'A', limit: 10 });

    expect(events.map(({ messageId }) => messageId)).toEqual(['1']);
  });

  test('of copies on one day only the first in the log is listed, on other days one each, whatever the page', async () => {
    const maker = new MessageMaker();
    const first = maker.track({ messageId: 'repeated', timestamp: 2_000_000n });
    const later = [1n, 80_000n, 90_000n, 100_000n].map((s) => ({ ...first, timestamp: s * 1_000_000n }));
    const others = [500n, 1500n, 95_000n].map((s) => maker.track({ timestamp: s * 1_000_000n, messageId: `at ${s}` }));
    await insert(store(), [...later, ...others], 10n);
    await insert(store(), [first], 1n);

    for (const limit of [1, 2, 3, 50]) {
      const listed = (await allPages(store(), maker, limit)).flat();

      const names = listed.map(({ messageId, timestamp }) => `${messageId} ${timestamp / 1_000_000n}`);
      expect([limit, names]).toEqual([
        limit,
        ['at 95000 95000', 'repeated 90000', 'at 1500 1500', 'at 500 500', 'repeated 2'],
      ]);
    }
  });

  test('one id under two names of events is two events, of one time too, whatever the page', async () => {
    const maker = new MessageMaker();
    const first = maker.track({ messageId: 'm', timestamp: 1_000_000n, event: 'A' });
    await insert(store(), [first, { ...first, event: 'C' }, { ...first, event: 'B' }]);

    for (const limit of [1, 2, 50]) {
      const listed = (await allPages(store(), maker, limit)).flat();

      expect([limit, listed.map(({ event }) => event)]).toEqual([limit, ['C', 'B', 'A']]);
    }
  });

  test('a copy sent again as it was, not merged away yet, does not end the list early', async () => {
    const maker = new MessageMaker();
    const events = ['a', 'b', 'c'].map((messageId, n) =>
      maker.track({ messageId, timestamp: BigInt(3 - n) * 1_000_000n }),
    );
    await insert(store(), events);
    await insert(store(), events.slice(0, 1), 50n);

    const pages = await allPages(store(), maker, 2);

    expect(pages.map((page) => page.map(({ messageId }) => messageId))).toEqual([['a', 'b'], ['c']]);
  });

  test('a page may be of many events with long ids', async () => {
    const maker = new MessageMaker();
    const events = Array.from({ length: 700 }, (_, n) => maker.track({ messageId: String(n).padEnd(128, '件') }));
    await insert(store(), events);

    const page = await eventsOf(store(), maker, 1_000);

    expect(page.map(({ messageId }) => messageId)).toEqual(events.toReversed().map(({ messageId }) => messageId));
  });

  test('a user nobody named has no events', async () => {
    expect(await eventsOf(store(), new MessageMaker(), 10)).toEqual([]);
  });
}

function queryOf({ projectId }: MessageMaker) {
  return { projectId, userKey: userKeyOf(projectId, 'ada') };
}

function eventsOf(store: AnalyticsReader, maker: MessageMaker, limit: number): Promise<readonly StoredEvent[]> {
  return store.userEvents({ ...queryOf(maker), limit });
}

/** Pages until one is short of the limit. */
async function allPages(
  store: AnalyticsReader,
  maker: MessageMaker,
  limit: number,
  range: Pick<EventsQuery, 'since' | 'until'> = {},
): Promise<(readonly StoredEvent[])[]> {
  const pages: (readonly StoredEvent[])[] = [];
  for (let last: StoredEvent | undefined, full = true; full;) {
    const page = await store.userEvents({ ...queryOf(maker), ...range, limit, ...(last && { after: last }) });
    pages.push(page);
    last = page.at(-1);
    full = page.length === limit;
  }
  return pages;
}
