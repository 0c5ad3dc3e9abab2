import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Message } from '../../../services/messages/message.ts';
import { identify, recordOf, session, track } from '../../support/messages/messages.ts';
import { OTHER_PROJECT, PROJECT, READ_KEY, ReadingServer } from '../../support/http/reading-server.ts';

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
  for (const topic of TOPICS) server.recorded.records(topic, 0);
});
afterAll(() => server.stop());

const TOPICS = ['tidemark.identify', 'tidemark.track', 'tidemark.session'];
const projectId = PROJECT.id;

interface Tick {
  readonly id: string;
  readonly rows: readonly Record<string, unknown>[];
  readonly seen: number;
  readonly shown: number;
  readonly skipped: number;
}

/** A listener, and the events of its stream one after the other. */
async function listen(query = '', headers: Record<string, string> = {}) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const response = await fetch(`${server.url}/v1/events/live${query}`, {
    headers: { api_key: READ_KEY, ...headers },
    signal: gone.signal,
  });
  const chunks = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let received = '';
  /** The next event; undefined at the end of the stream. */
  const next = async (): Promise<Tick | undefined> => {
    for (;;) {
      const [, id, data] = /id: (\S+)\ndata: (.+)\n\n/.exec(text) ?? [];
      if (id !== undefined && data !== undefined) {
        text = text.slice(text.indexOf(data) + data.length);
        return { id, ...(JSON.parse(data) as Omit<Tick, 'id'>) };
      }
      const { value, done } = await chunks.read();
      if (done) return undefined;
      text += value;
      received += value;
    }
  };
  const nextWithRows = async (): Promise<Tick> => {
    for (;;) {
      const tick = await next();
      if (tick === undefined) throw new Error('the stream ended');
      if (tick.seen > 0 || tick.skipped > 0) return tick;
    }
  };
  return { response, next, nextWithRows, received: () => received, leave: () => gone.abort() };
}

function append(...messages: readonly Message[]): void {
  for (const message of messages) server.recorded.put(`tidemark.${message.type}`, 0, recordOf(message));
}

test('a listener sees what is recorded from then on, and nothing of before or of other projects', async () => {
  append(track({ projectId, userId: 'before' }));
  const { response, next, nextWithRows } = await listen();
  expect(await next()).toMatchObject({ rows: [], seen: 0, shown: 0, skipped: 0 });

  append(
    track({ projectId: OTHER_PROJECT.id, userId: 'ada' }),
    identify({ projectId, userId: 'ada', traits: '{"plan":"pro","big":12345678901234567890}' }),
    track({ projectId, userId: 'ada', event: 'Paid', properties: '{"amount":5}', timestamp: 1_795_000_000_000_000n }),
    session({ projectId, userId: 'ada' }),
  );
  const { rows, seen, shown } = await nextWithRows();

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect([seen, shown]).toEqual([3, 3]);
  expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['identify', 'session', 'track']));
  expect(rows.find(({ type }) => type === 'track')).toMatchObject({
    event: 'Paid',
    user_id: 'ada',
    anonymous_id: null,
    properties: { amount: 5 },
    timestamp: '2026-11-18T11:06:40.000000Z',
    log: { topic: 'tidemark.track', partition: 0 },
  });
});

test('a message of an SDK that was mended is marked, and no other', async () => {
  const { next, nextWithRows } = await listen();
  await next();

  const adjusted = '[{"path":"/timestamp","message":"is not a text: left out"}]';
  append(track({ projectId, userId: 'ada', adjusted }), track({ projectId, userId: 'bob' }));
  const { rows } = await nextWithRows();

  const marks = new Map(rows.map((row) => [row['user_id'], row['adjusted']]));
  expect(marks).toEqual(
    new Map<unknown, unknown>([
      ['ada', JSON.parse(adjusted)],
      ['bob', undefined],
    ]),
  );
});

test('each filter takes what it names, before rows are left out', async () => {
  const filters = ['?type=identify', '?event=Paid', '?user_id=bob', '?text=needle', '?event=Paid&user_id=bob'];
  const listeners = await Promise.all(filters.map((query) => listen(query)));
  await Promise.all(listeners.map(({ next }) => next()));

  append(
    identify({ projectId, userId: 'ada' }),
    track({ projectId, userId: 'ada', event: 'Paid' }),
    track({ projectId, userId: 'bob', event: 'Ran', properties: '{"in":"a needle"}' }),
    track({ projectId, userId: 'bob', event: 'Paid' }),
  );
  const seen = await Promise.all(listeners.map(({ nextWithRows }) => nextWithRows()));

  expect(seen.map((tick) => tick.seen)).toEqual([1, 2, 2, 1, 1]);
});

test('a listener to a user sees the events that were added with a session', async () => {
  const { next, nextWithRows } = await listen('?user_id=with%20a%20session');
  await next();

  append({ ...track({ projectId, userId: 'with a session', event: 'Added' }), userId: null, sessionId: 's1' });

  expect(await nextWithRows()).toMatchObject({ seen: 1, rows: [{ event: 'Added', user_id: null }] });
});

test('a text is looked for in values, however JSON writes them', async () => {
  const listeners = await Promise.all(
    ['say "hi"', '12.50', 'Said'].map((text) => listen(`?text=${encodeURIComponent(text)}`)),
  );
  await Promise.all(listeners.map(({ next }) => next()));

  append(track({ projectId, userId: 'ada', properties: JSON.stringify({ Said: 'to say "hi"', total: 12.5 }) }));
  append(track({ projectId, userId: 'ada', properties: '{"name":"Said"}' }));
  const ticks = await Promise.all(listeners.map(({ nextWithRows }) => nextWithRows()));

  expect(ticks.map(({ seen }) => seen)).toEqual([1, 1, 1]);
});

test('of many messages the newest 25 are shown, and the others are counted', async () => {
  const { next, nextWithRows } = await listen('?event=Many');
  await next();

  append(...Array.from({ length: 60 }, (_, n) => track({ projectId, userId: `u${n}`, event: 'Many' })));
  const { rows, seen, shown } = await nextWithRows();

  expect([seen, shown, rows.length]).toEqual([60, 25, 25]);
  expect(rows.map(({ user_id }) => user_id)).toEqual(Array.from({ length: 25 }, (_, n) => `u${35 + n}`));
});

test('a listener that comes back with Last-Event-ID misses nothing', async () => {
  const first = await listen('?event=Resumed');
  const { id } = (await first.next())!;
  first.leave();
  append(track({ projectId, userId: 'while-away', event: 'Resumed' }));

  const again = await listen('?event=Resumed', { 'last-event-id': id });

  expect((await again.nextWithRows()).rows).toMatchObject([{ user_id: 'while-away' }]);
});

test('a listener that is far behind goes on at the end, and is told what it missed', async () => {
  const track0 = server.recorded.records('tidemark.track', 0);
  const { next } = await listen('?event=Late', { 'last-event-id': `1.0.${track0.length}` });
  await next();
  const filler = recordOf(track({ projectId, userId: 'many' }));
  for (let n = 0; n <= 200_000; n++) server.recorded.put('tidemark.track', 0, filler);

  expect(await next()).toMatchObject({ rows: [], seen: 0, skipped: 200_001 });
  append(track({ projectId, userId: 'ada', event: 'Late' }));
  expect(await next()).toMatchObject({ seen: 1, skipped: 0 });
});

test('a record that cannot be decoded is passed over', async () => {
  const { next, nextWithRows } = await listen('?event=Whole');
  await next();

  server.recorded.put('tidemark.track', 0, { key: Buffer.from('k'), value: Buffer.from('not a record') });
  append(track({ projectId, userId: 'ada', event: 'Whole' }));

  expect(await nextWithRows()).toMatchObject({ seen: 1 });
});

test('a log that is unreachable for a while ends no stream', async () => {
  const { next, nextWithRows, received } = await listen('?event=After');
  await next();
  server.recorded.trouble = new TidemarkError('LOG_UNAVAILABLE', 'unreachable, as ordered');
  append(track({ projectId, userId: 'ada', event: 'After' }));

  const tick = nextWithRows();
  await expect.poll(received).toContain(': the event log is unreachable');
  server.recorded.trouble = undefined;

  expect(await tick).toMatchObject({ seen: 1 });
});

test('a stream of a number of seconds ends by itself', async () => {
  const { next } = await listen('?seconds=1');

  let ticks = 0;
  while ((await next()) !== undefined) ticks++;

  expect(ticks).toBeGreaterThan(0);
});

test('an id of another stream is refused', async () => {
  for (const id of ['x', '3.0.1', '1.0', '1.0.1-', `1.0.${'9'.repeat(30)}`, 'a'.repeat(9_000)]) {
    const { response } = await listen('', { 'last-event-id': id });
    expect(response.status, id.slice(0, 20)).toBe(400);
  }
});

test('a project listens with eight different filters at once, and another may when one has gone', async () => {
  const listeners = await Promise.all(Array.from({ length: 8 }, (_, n) => listen(`?event=e${n}`)));
  expect(listeners.map(({ response }) => response.status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect((await listen('?event=e8')).response.status).toBe(429);
  expect((await listen('?event=e7&seconds=1')).response.status).toBe(200);

  listeners[0]!.leave();

  await expect.poll(async () => (await listen('?event=e8&seconds=1')).response.status).toBe(200);
});

test('ten listeners with equal filters see the same, and the log is read once for them', async () => {
  const listeners = await Promise.all(Array.from({ length: 10 }, () => listen('?event=Shared')));
  await Promise.all(listeners.map(({ next }) => next()));
  const { scans } = server.recorded;

  append(track({ projectId, userId: 'ada', event: 'Shared' }));
  const ticks = await Promise.all(listeners.map(({ nextWithRows }) => nextWithRows()));

  expect(ticks.map(({ seen }) => seen)).toEqual(Array.from({ length: 10 }, () => 1));
  expect(new Set(ticks.map(({ id }) => id)).size).toBe(1);
  expect(server.recorded.scans - scans).toBeLessThan(10);
});

test('a listener that comes while others listen sees nothing of before', async () => {
  const first = await listen('?event=Joined');
  await first.next();
  append(track({ projectId, userId: 'before', event: 'Joined' }));

  const second = await listen('?event=Joined');
  append(track({ projectId, userId: 'after', event: 'Joined' }));

  expect((await second.nextWithRows()).rows).toMatchObject([{ user_id: 'after' }]);
  expect((await first.nextWithRows()).seen).toBe(1);
});

test('a project has 32 listeners at once', async () => {
  const listeners = await Promise.all(Array.from({ length: 32 }, () => listen()));
  expect(new Set(listeners.map(({ response }) => response.status))).toEqual(new Set([200]));

  expect((await listen()).response.status).toBe(429);
});

test('a stop of the service ends the stream', async () => {
  const stopping = await ReadingServer.start();
  onTestFinished(() => stopping.stop());
  const response = await fetch(`${stopping.url}/v1/events/live`, { headers: { api_key: READ_KEY } });

  stopping.listening.abort();

  expect(await response.text()).toContain('retry: 2000');
});
