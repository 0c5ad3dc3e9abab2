import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { END_OF_TIME } from '../../services/messages/timestamp.ts';
import { encodeCursor } from '../../services/questions/events/cursor.ts';
import { readPage } from '../../services/api/users/events.ts';
import { MemoryAnalytics } from '../support/http/reading-fakes.ts';
import { ReadingServer } from '../support/http/reading-server.ts';

interface Page {
  readonly events: { readonly message_id: string; readonly timestamp: string }[];
  readonly next_cursor: string | null;
}

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
});

beforeEach(() => {
  server.analytics.events.length = 0;
  server.analytics.queries.length = 0;
});

afterAll(() => server.stop());

async function pageOf(search: string): Promise<Page> {
  const response = await server.request(`/v1/users/ada/events?${search}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

/** Message ids in the order of the pages, with whatever happens between them. */
async function readAll(limit: number, betweenPages: () => void = () => undefined): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; betweenPages()) {
    const page = await pageOf(`limit=${limit}${cursor && `&cursor=${cursor}`}`);
    expect(page.events.length).toBeLessThanOrEqual(limit);
    ids.push(...page.events.map((event) => event.message_id));
    cursor = page.next_cursor;
  }
  return ids;
}

// Few instants and ids that share beginnings, so that many events stand on the edge of a page together.
const histories = fc.uniqueArray(
  fc.record({
    timestamp: fc.bigInt({ min: -3n, max: 3n }),
    messageId: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', '￿', '-'), minLength: 1, maxLength: 4 }),
    event: fc.constantFrom('A', 'é', '￿'),
  }),
  { selector: ({ timestamp, messageId, event }) => `${timestamp} ${messageId} ${event}`, maxLength: 40 },
);

test('pages of any size hold every event of any history once, newest first', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 1, max: 12 }), async (history, limit) => {
      server.analytics.events.length = 0;
      await server.addProfile('ada');
      for (const event of history) server.addEvent('ada', event);
      server.addEvent('somebody else', { messageId: 'theirs' });

      const paged = await readAll(limit);
      const whole = await pageOf('limit=1000');

      expect(paged).toHaveLength(history.length);
      expect(paged).toEqual(whole.events.map((event) => event.message_id));
      const times = whole.events.map((event) => event.timestamp);
      expect(times).toEqual([...times].sort().toReversed());
    }),
    { numRuns: 40 },
  );
});

test('what is recorded while paging makes no page miss or repeat an event', async () => {
  for (let i = 0; i < 30; i++) server.addEvent('ada', { messageId: `old ${i}`, timestamp: BigInt(i % 3) });
  let recorded = 0;

  const ids = await readAll(7, () => server.addEvent('ada', { messageId: `new ${recorded++}`, timestamp: 9n }));

  expect(recorded).toBeGreaterThan(3);
  expect(ids.filter((id) => id.startsWith('old')).sort()).toEqual(
    Array.from({ length: 30 }, (_, i) => `old ${i}`).sort(),
  );
});

test('a page has 50 events unless told otherwise, and the last one no cursor even when it is full', async () => {
  for (let i = 0; i < 100; i++) server.addEvent('ada', { messageId: `m${i}` });

  const first = await pageOf('');
  const second = await pageOf(`cursor=${first.next_cursor}`);

  expect(first.events).toHaveLength(50);
  expect(second.events).toHaveLength(50);
  expect(second.next_cursor).toBeNull();
});

test('a page that is not full takes one question', async () => {
  server.addEvent('ada', { messageId: 'm' });

  await pageOf('limit=1000');

  expect(server.analytics.queries).toHaveLength(1);
});

test('a page of 1,000 small events takes few questions', async () => {
  for (let i = 0; i < 1_200; i++) server.addEvent('ada', { messageId: `m${i}` });

  const page = await pageOf('limit=1000');

  expect(page.events).toHaveLength(1_000);
  expect(page.next_cursor).not.toBeNull();
  expect(server.analytics.queries.length).toBeLessThanOrEqual(2);
});

test('a cursor made up by hand pages on from the place that it names', async () => {
  await server.addProfile('ada');
  for (const timestamp of [1n, 2n, 3n]) server.addEvent('ada', { messageId: `m${timestamp}`, timestamp });
  const made = { receivedAt: END_OF_TIME - 1n, messageId: 'n', event: 'E' };

  const between = await pageOf(`cursor=${encodeCursor({ ...made, timestamp: 2n })}`);
  const before = await pageOf(`cursor=${encodeCursor({ ...made, timestamp: 0n })}`);

  expect(between.events.map((event) => event.message_id)).toEqual(['m2', 'm1']);
  expect(before).toEqual({ events: [], next_cursor: null });
});

test('a page of large events is short rather than past its bound, and still no event is missing', async () => {
  const analytics = new MemoryAnalytics();
  const place = { projectId: 'p', userKey: 'u' };
  const properties = JSON.stringify({ text: 'x'.repeat(100_000) });
  for (let i = 0; i < 350; i++) {
    const times = { timestamp: BigInt(i), receivedAt: 0n };
    analytics.add(place, { ...times, messageId: `m${i}`, properties });
  }

  const first = await readPage(analytics, { ...place, limit: 1_000 });
  const second = await readPage(analytics, { ...place, limit: 150 });

  expect(first.events.length).toBeLessThan(150);
  expect(first.nextCursor).toBe(encodeCursor(first.events.at(-1)!));
  expect(second).toEqual(first);
});
