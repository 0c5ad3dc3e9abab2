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
