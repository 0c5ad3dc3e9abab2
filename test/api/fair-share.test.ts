/** One project, `theirs`, does what it can to hold every place; the other still gets its answers. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { jsonRequest, RawClient, request } from '../support/http/raw-client.ts';
import {
  OTHER_PROJECT,
  OTHER_READ_KEY,
  AUDIENCES_KEY as THEIRS,
  ReadingServer,
} from '../support/http/reading-server.ts';

const OURS = OTHER_READ_KEY;
const QUESTION = { definition: { trait: 'tier', is: 'gold' } };

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start({ unreadTimeoutMs: 3_000, checkEveryMs: 20 });
  onTestFinished(() => server.stop());
  server.analytics.answer = () => ({
    rows: [{ count: '1', users: [] }],
    tookMs: 1,
    rowsRead: 1,
    bytesRead: 1,
  });
});

async function ask(bytes: string): Promise<RawClient> {
  return (await RawClient.connect(server.port)).send(bytes);
}

async function statusOf(bytes: string): Promise<number | undefined> {
  const client = await ask(bytes);
  // A stream has no length to wait for.
  await eventually(() => expect(client.received).toContain('\r\n\r\n'));
  client.socket.destroy();
  return Number(client.received.slice(9, 12));
}

function get(path: string, key: string): string {
  return request(path, { api_key: key }, '', 'GET');
}

test('64 half-sent queries of another project do not delay others', async () => {
  const headers = { api_key: THEIRS, 'content-type': 'application/json', 'content-length': '100' };
  for (let n = 0; n < 64; n++) await ask(request('/v1/audiences/preview', headers, '{"definition":'));
  await eventually(() => expect(server.http.openRequests).toBe(64));

  expect(await statusOf(jsonRequest('/v1/audiences/preview', OURS, QUESTION))).toBe(200);
  expect(await statusOf(jsonRequest('/v1/audiences/preview', THEIRS, QUESTION))).toBe(200);
});

const SAVED = 'aud_00000000000000000001';
const OURS_SAVED = 'aud_00000000000000000002';

test.each([
  ['queries', 32, (key: string) => jsonRequest('/v1/audiences/preview', key, QUESTION)],
  ['streams', 32, (key: string) => get(`/v1/audiences/${key === OURS ? OURS_SAVED : SAVED}/members`, key)],
])('a project may use half of the permits for %s', async (_, half, text) => {
  await server.addAudience(SAVED);
  await server.addAudience(OURS_SAVED, { projectId: OTHER_PROJECT.id });
  const gate = Promise.withResolvers<void>();
  server.analytics.gate = gate.promise;
  for (let n = 0; n < half; n++) await ask(text(THEIRS));
  await eventually(() => expect(server.http.openRequests).toBe(half));

  expect(await statusOf(text(THEIRS))).toBe(429);
  server.analytics.gate = undefined;
  expect(await statusOf(text(OURS))).toBe(200);
  gate.resolve();
});

test('the 101st audience of a project is refused with the reason, and the first of another is not', async () => {
  const save = async (name: string, key: string): Promise<Response> => {
    const body = JSON.stringify({ name, definition: QUESTION.definition });
    return server.request('/v1/audiences', { method: 'POST', body }, key);
  };
  for (let n = 0; n < 100; n++) expect((await save(`${n}`, THEIRS)).status).toBe(201);

  const refused = await save('one more', THEIRS);

  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ type: 'urn:tidemark:problem:conflict', detail: expect.any(String) });
  expect((await save('one more', OURS)).status).toBe(201);
});

test('pages that nobody reads hold half of the places, and those not for long', async () => {
  await server.addProfile('ada');
  const properties = JSON.stringify({ text: 'x'.repeat(500_000) });
  for (let n = 0; n < 10; n++) server.addEvent('ada', { messageId: `${n}`, properties });
  const page = get('/v1/users/ada/events', THEIRS);
  const deaf = await Promise.all(Array.from({ length: 16 }, () => RawClient.connect(server.port)));
  for (const { socket } of deaf) socket.pause();
  for (const client of deaf) client.send(page);
  await eventually(() => expect(server.http.openRequests).toBe(16));

  expect(await statusOf(page)).toBe(429);
  expect(await statusOf(get('/v1/users/nobody/events', OURS))).toBe(404);
  await eventually(async () => expect(await statusOf(page)).toBe(200));
  await eventually(() => expect(server.http.unreadConnections).toBe(16));
});

test.each([
  ['16 readings', 8, (n: number) => `?event=e${n}`],
  ['64 listeners', 32, () => ''],
])('where two projects have all %s, a third gets one of whoever has most, and no second', async (_, half, query) => {
  server.recorded.records('tidemark.track', 0);
  const live = (key: string, n: number): string => get(`/v1/events/live${query(n)}`, key);
  const places = [THEIRS, OURS].flatMap((key) => Array.from({ length: half }, (__, n) => live(key, n)));
  const held = await Promise.all(places.map(ask));
  await eventually(() => expect(held.filter(({ received }) => received.includes('data: '))).toHaveLength(2 * half));
  const third = server.addLimitedKey('read', 100);

  const client = await ask(live(third, half));

  await eventually(() => expect(client.received).toContain('data: '));
  const told = held.filter(({ received }) => received.includes('event: end'));
  expect(told.map(({ received }) => received.includes('"urn:tidemark:problem:overloaded"'))).toEqual([true]);
  expect(await statusOf(live(third, half + 1))).toBe(429);
});
