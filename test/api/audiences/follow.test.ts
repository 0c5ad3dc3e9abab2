import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { formatMicros } from '../../../services/messages/timestamp.ts';
import { PROJECT, READ_KEY, ReadingServer } from '../../support/http/reading-server.ts';

const AUDIENCE = 'aud_00000000000000000001';
const CHANGE = { user_id: 'ada', internal_id: 'a'.repeat(64), change: 'entered', at: '1970-01-01T00:00:00.000009Z' };
const PATIENTLY = { timeout: 20_000 };

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
  await server.addAudience(AUDIENCE);
});

afterEach(() => server.stop());

interface Reply {
  readonly status: number;
  readonly lines: readonly object[];
}

async function changes(query: string, signal?: AbortSignal): Promise<Reply> {
  const init = { headers: { api_key: READ_KEY }, ...(signal !== undefined && { signal }) };
  const response = await fetch(`${server.url}/v1/audiences/${AUDIENCE}/changes?${query}`, init);
  const text = await response.text();
  const lines = text.trim().split('\n').map((line) => JSON.parse(line) as object); // prettier-ignore
  return { status: response.status, lines };
}

async function evaluatedAt(micros: bigint): Promise<void> {
  server.analytics.settled = micros;
  await server.database.query('update audiences set changes_readable_at = $2 where id = $1', [AUDIENCE, micros]);
}

async function waiting(count: number): Promise<void> {
  await expect.poll(() => server.changesWatch.waiting, PATIENTLY).toBe(count);
}

test('existing changes are answered at once, however long the request would wait', async () => {
  const looks = vi.spyOn(server.saved, 'changesReadableAt');
  await evaluatedAt(9n);
  server.analytics.lines = [CHANGE];

  const { status, lines } = await changes('wait=30');

  expect(status).toBe(200);
  expect(looks).toHaveBeenCalledTimes(1);
  expect(lines).toEqual([CHANGE, { next_cursor: null, through: formatMicros(9n) }]);
});

test('a request that waits and then streams has Node warn of no leak', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  server.analytics.lines = [CHANGE];
  const reply = changes('wait=30');
  await waiting(1);

  await evaluatedAt(9n);

  expect((await reply).lines).toContainEqual(CHANGE);
  expect(warnings).toEqual([]);
});

test('a request waits for the next evaluation that changes something, and then has its changes', async () => {
  await evaluatedAt(5n);
  const reply = changes(`since=${formatMicros(5n)}&wait=30`);
  await waiting(1);
  server.analytics.settled = 7n;
  const looks = vi.spyOn(server.saved, 'changesReadableAt');
  await expect.poll(() => looks.mock.calls.length, PATIENTLY).toBeGreaterThan(2);
  expect(server.changesWatch.waiting).toBe(1);

  server.analytics.lines = [CHANGE];
  await evaluatedAt(9n);

  expect((await reply).lines).toEqual([CHANGE, { next_cursor: null, through: formatMicros(9n) }]);
});

test('a request whose time is over is answered with no changes, and where to go on', async () => {
  await evaluatedAt(5n);

  expect(await changes(`since=${formatMicros(5n)}&wait=0.05`)).toEqual({
    status: 200,
    lines: [{ next_cursor: null, through: formatMicros(5n) }],
  });
});

test('an audience that was never evaluated is waited for', async () => {
  const reply = changes('wait=30');
  await waiting(1);

  server.analytics.lines = [CHANGE];
  await evaluatedAt(9n);

  expect((await reply).lines).toHaveLength(2);
});

test('a request that waits asks analytics nothing, and all that wait share one query of the store', async () => {
  await evaluatedAt(5n);
  const replies = [1, 2].map(() => changes(`since=${formatMicros(5n)}&wait=30`));
  await waiting(2);
  let questions = 0;
  server.analytics.answer = () => {
    questions++;
    return { rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 };
  };
  const looks = vi.spyOn(server.saved, 'changesReadableAt');

  await expect.poll(() => looks.mock.calls.length, PATIENTLY).toBeGreaterThan(4);

  expect([questions, Math.max(...looks.mock.calls.map(([ids]) => ids.length))]).toEqual([0, 1]);
  server.changesWatch.stop();
  await Promise.all(replies);
});

test('who has every change of an audience that is followed waits, and analytics is asked nothing', async () => {
  await server.addAudience(AUDIENCE, { isLive: true, isFollowed: true, liveThrough: 20n });
  await evaluatedAt(9n);
  let questions = 0;
  server.analytics.answer = () => {
    questions++;
    return { rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 };
  };

  // The last change was at 9, and there was none since.
  const reply = changes(`since=${formatMicros(9n)}&wait=30`);
  await waiting(1);
  server.changesWatch.stop();

  expect(await reply).toEqual({ status: 200, lines: [{ next_cursor: null, through: formatMicros(20n) }] });
  expect(questions).toBe(0);
});

test.each([
  ['before the last change', `since=${formatMicros(8n)}`],
  ['after a user of the last change', `since=${formatMicros(9n)}&after=${'0'.repeat(64)}`],
])('who is %s of an audience that is followed is answered at once', async (_, query) => {
  await server.addAudience(AUDIENCE, { isLive: true, isFollowed: true, liveThrough: 20n });
  await evaluatedAt(9n);
  server.analytics.lines = [CHANGE];

  const { lines } = await changes(`${query}&wait=30`);

  expect(lines).toEqual([CHANGE, { next_cursor: null, through: formatMicros(20n) }]);
});

test('a request that waits ends when its client leaves, and the store is then asked nothing', async () => {
  const leaving = new AbortController();
  const reply = changes('wait=30', leaving.signal).catch(() => 'gone');
  await waiting(1);

  leaving.abort();

  expect(await reply).toBe('gone');
  await waiting(0);
});

test('a request that waits is answered 404 once the audience is deleted', async () => {
  const reply = changes('wait=30');
  await waiting(1);

  await server.saved.remove(PROJECT.id, AUDIENCE);

  expect(await reply).toMatchObject({ status: 404, lines: [{ code: 'not-found' }] });
});

test('as many requests wait as may, of one project half, and one more is 429', async () => {
  const leaving = new AbortController();
  const replies = [1, 2].map(() => changes('wait=30', leaving.signal).catch(() => 'gone'));
  await waiting(2);

  expect(await changes('wait=30')).toMatchObject({ status: 429, lines: [{ code: 'overloaded' }] });
  expect(await changes('wait=0')).toMatchObject({ status: 200 });
  leaving.abort();
  await Promise.all(replies);
  await expect.poll(() => changes('wait=0.001'), PATIENTLY).toMatchObject({ status: 200 });
});

test('a request goes on waiting while the store is unavailable, and is 503 where that lasts', async () => {
  await evaluatedAt(5n);
  const reply = changes(`since=${formatMicros(5n)}&wait=30`);
  const short = changes(`since=${formatMicros(5n)}&wait=0.5`);
  await waiting(2);

  server.database.unreachable = true;
  expect(await short).toMatchObject({ status: 503 });
  server.database.unreachable = false;
  server.analytics.lines = [CHANGE];
  await evaluatedAt(9n);

  expect(await reply).toMatchObject({ status: 200, lines: [CHANGE, {}] });
});

test('a wrong position is refused at once', async () => {
  expect(await changes(`wait=30&after=${'a'.repeat(64)}`)).toMatchObject({ status: 400 });
});

test('a server that stops answers those who wait', async () => {
  const reply = changes('wait=30');
  await waiting(1);

  await server.stop();

  expect(await reply).toEqual({ status: 200, lines: [{ next_cursor: null, through: null }] });
});
