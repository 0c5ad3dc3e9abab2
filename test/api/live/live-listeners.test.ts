/** The live stream on real logs, and to listeners that do not read. */
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import type { Call } from '../../../services/http/call.ts';
import type { Answer } from '../../../services/http/route.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { readInput } from '../../../services/api/input.ts';
import { answerLive, LiveReaders } from '../../../services/api/live/live-events.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { recordOf, track } from '../../support/messages/messages.ts';
import { RawClient, request } from '../../support/http/raw-client.ts';
import { PROJECT, READ_KEY, ReadingServer } from '../../support/http/reading-server.ts';
import { realLogs } from '../../support/event-log/real-logs.ts';
import { emptiedDatabase } from '../../support/stores/database.ts';

const codec = new Codec(new EmbeddedSchemaIds());
let profiles: SqlProfileStore;

beforeAll(async () => {
  profiles = new SqlProfileStore(await emptiedDatabase(), 1);
});

interface Tick {
  readonly id: string;
  readonly rows: readonly { readonly user_id: string; readonly log: { readonly partition: number } }[];
  readonly seen: number;
  readonly shown: number;
  readonly recent?: boolean;
}

/** The events of a listener's stream. */
async function* listen(
  log: EventLog,
  query: string,
  lastEventId?: string,
  readers?: LiveReaders,
): AsyncGenerator<Tick> {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const call = { headers, project: PROJECT, signal: gone.signal } as unknown as Call;
  const read = readInput('GET /v1/events/live', { params: {}, query: new URLSearchParams(query) });
  if (!read.ok) throw new Error(read.refusal.detail);
  const answer = (await answerLive({ log, codec, profiles }, call, read.value.query, readers)) as Answer;
  for await (const text of answer.body as AsyncIterable<Buffer>) {
    const [, id, data] = /id: (\S+)\ndata: (.+)\n/.exec(String(text)) ?? [];
    if (id !== undefined && data !== undefined) yield { id, ...(JSON.parse(data) as Omit<Tick, 'id'>) };
  }
}

async function nextSeen(ticks: AsyncGenerator<Tick>, count: number): Promise<readonly Tick[]> {
  const found: Tick[] = [];
  let seen = 0;
  while (seen < count) {
    const { value } = await ticks.next();
    found.push(value as Tick);
    seen += (value as Tick).seen;
  }
  return found;
}

async function append(log: EventLog, ...users: readonly string[]): Promise<void> {
  const records = users.map((userId) => recordOf(track({ projectId: PROJECT.id, userId, event: 'Paid' })));
  await log.append(records.map((record) => ({ ...record, topic: 'tidemark.track' })));
}

const usersOf = ({ rows }: Tick): readonly string[] => rows.map(({ user_id: user }) => user);

test.each(await realLogs())(
  'a listener on $name that asks for what is recent is told the newest of all partitions first, then what comes',
  async ({ open }) => {
    const log = await open(3);
    const users = Array.from({ length: 60 }, (_, n) => `u${String(n).padStart(2, '0')}`);
    for (const user of users) await append(log, user);
    await log.append([
      { ...recordOf(track({ projectId: 'proj_other', userId: 'theirs', event: 'Paid' })), topic: 'tidemark.track' },
    ]);

    const ticks = listen(log, 'event=Paid&recent=50');
    const recent = (await ticks.next()).value as Tick;
    await append(log, 'live');
    const [live] = (await nextSeen(ticks, 1)).slice(-1);

    expect(recent).toMatchObject({ recent: true, seen: 50, shown: 50 });
    expect(usersOf(recent).toSorted()).toEqual(users.slice(-50));
    expect([live!.recent, usersOf(live!)]).toEqual([undefined, ['live']]);

    const resumed = listen(log, 'event=Paid&recent=50', recent.id);
    const [again] = (await nextSeen(resumed, 1)).slice(-1);
    expect([again!.recent, usersOf(again!)]).toEqual([undefined, ['live']]);
  },
);

test.each(await realLogs())(
  'a listener on $name sees what comes over all partitions, counts all of it, and resumes without a gap',
  async ({ open }) => {
    const log = await open(3);
    await append(log, 'before');
    const first = listen(log, 'event=Paid');
    await first.next();
    await append(log, ...Array.from({ length: 60 }, (_, n) => `u${n}`));

    const ticks = await nextSeen(first, 60);
    const rows = ticks.flatMap((tick) => tick.rows);
    expect(ticks.reduce((sum, { seen }) => sum + seen, 0)).toBe(60);
    for (const { rows: shown, shown: count } of ticks)
      expect([shown.length, shown.length <= 25]).toEqual([count, true]);
    expect(rows.map(({ user_id: user }) => user)).not.toContain('before');
    expect(new Set(rows.map(({ log: at }) => at.partition)).size).toBeGreaterThan(1);

    await append(log, 'meanwhile');
    const again = listen(log, 'event=Paid', ticks.at(-1)!.id);
    const resumed = await nextSeen(again, 1);
    expect(resumed.flatMap((tick) => tick.rows)).toMatchObject([{ user_id: 'meanwhile' }]);
  },
  60_000,
);

test('a listener that does not read for a while falls out of a shared reading, and misses nothing', async () => {
  const server = await ReadingServer.start();
  onTestFinished(() => server.stop());
  const log = server.recorded;
  log.records('tidemark.track', 0);
  const readers = new LiveReaders({ log, codec, profiles });
  const slow = listen(log, 'event=Paid', undefined, readers);
  const quick = listen(log, 'event=Paid', undefined, readers);
  await Promise.all([slow.next(), quick.next()]);

  const record = recordOf(track({ projectId: PROJECT.id, userId: 'ada', event: 'Paid' }));
  for (let n = 0; n < 12; n++) {
    log.put('tidemark.track', 0, record);
    await nextSeen(quick, 1);
  }
  log.put('tidemark.track', 0, record);

  const ticks = await nextSeen(slow, 13);
  expect(ticks.reduce((sum, { seen }) => sum + seen, 0)).toBe(13);
  expect(await nextSeen(quick, 1)).toMatchObject([{ seen: 1 }]);
});

test('the counts of listeners that resume beside others are exact, while messages come all the time', async () => {
  const recorded = new MemoryLog();
  const record = recordOf(track({ projectId: PROJECT.id, userId: 'ada', event: 'Paid' }));
  const put = (): void => void recorded.put('tidemark.track', 0, record);
  for (let n = 0; n < 100; n++) put();
  // Between any two looks at the end of the log there are new messages.
  const ends = (topics: readonly string[]): ReturnType<EventLog['ends']> => {
    for (let n = 0; n < 7; n++) put();
    return recorded.ends(topics);
  };
  const log = { ends, scan: recorded.scan.bind(recorded) } as unknown as EventLog;
  const readers = new LiveReaders({ log, codec, profiles });
  const shared = listen(log, 'event=Paid', undefined, readers);
  const first = (await shared.next()).value as Tick;

  const starts = [5n, 50n, 99n, endOf(first)];
  const all = await Promise.all(
    starts.map(async (start) => {
      const ticks = listen(log, 'event=Paid', `1.0.${start}`, readers);
      let seen = 0n;
      return Promise.all(
        Array.from({ length: 6 }, async () => {
          const tick = (await ticks.next()).value as Tick;
          seen += BigInt(tick.seen);
          return { counted: start + seen, end: endOf(tick) };
        }),
      );
    }),
  );

  for (const { counted, end } of all.flat()) expect(counted).toBe(end);
});

/** Up to where the log was read with it. */
function endOf({ id }: Tick): bigint {
  return BigInt(/(?:^|-)1\.0\.(\d+)/.exec(id)?.[1] ?? Number.NaN);
}

test('of many messages the newest are shown, in the order in which they came, over all partitions', async () => {
  const server = await ReadingServer.start();
  onTestFinished(() => server.stop());
  for (const partition of [0, 1]) server.recorded.records('tidemark.track', partition);
  const ticks = listen(server.recorded, '');
  await ticks.next();
  // The log stores the record at each offset a millisecond after the one before it, in every partition.
  // So two messages share each millisecond: the first of them is now in the one partition, now in the other.
  for (let n = 0; n < 80; n++) {
    const partition = n % 4 === 1 || n % 4 === 2 ? 1 : 0;
    const message = track({ projectId: PROJECT.id, userId: `${n}`, receivedAt: 1_700_000_000_000_000n + BigInt(n) });
    server.recorded.put('tidemark.track', partition, recordOf(message));
  }

  const [tick] = await nextSeen(ticks, 80);

  expect(tick).toMatchObject({ seen: 80, shown: 25 });
  const users = tick!.rows.map(({ user_id: user }) => Number(user));
  expect(users).toEqual(Array.from({ length: 25 }, (_, i) => 55 + i));
});

test(
  'a listener that does not read is let go, and the log is read no further for it',
  { timeout: 90_000 },
  async () => {
    const server = await ReadingServer.start({ unreadTimeoutMs: 1_000, checkEveryMs: 20 });
    onTestFinished(() => server.stop());
    server.recorded.records('tidemark.track', 0);
    // Three bytes a character: an event of 25 such rows has 600 KB.
    const large = recordOf(
      track({ projectId: PROJECT.id, userId: 'ada', properties: `{"a":"${'漢'.repeat(7_900)}"}` }),
    );
    const filler = setInterval(() => {
      for (let n = 0; n < 30; n++) server.recorded.put('tidemark.track', 0, large);
    }, 100);
    onTestFinished(() => clearInterval(filler));
    let looks = 0;
    const { recorded } = server;
    const ends = recorded.ends.bind(recorded);
    recorded.ends = (topics) => {
      looks++;
      return ends(topics);
    };
    const client = await RawClient.connect(server.port);
    client.socket.pause();
    client.send(request('/v1/events/live', { api_key: READ_KEY }, '', 'GET'));

    await vi.waitFor(() => expect(server.http.unreadConnections).toBe(1), { timeout: 50_000 });
    await vi.waitFor(() => expect(server.http.openConnections).toBe(0), { timeout: 5_000 });

    // What the sockets hold, and no more: some megabytes.
    expect(looks).toBeLessThan(60);
    const before = looks;
    const other = listen(recorded, '');
    for (let n = 0; n < 3; n++) await other.next();
    // One when it comes, and one for each event: none for the listener that has gone.
    expect(looks - before).toBe(4);
  },
);
