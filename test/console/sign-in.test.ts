import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ADMIN_KEY, READ_KEY, ReadingServer } from '../support/http/reading-server.ts';

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
  onTestFinished(() => server.stop());
});

async function signIn(key: string): Promise<Response> {
  const headers = { 'tidemark-console': '1', origin: server.url, 'content-type': 'application/json' };
  return fetch(`${server.url}/console/session`, { method: 'POST', headers, body: JSON.stringify({ key }) });
}

function statusesOf(answers: readonly Response[]): object {
  const byStatus = Object.groupBy(answers, ({ status }) => status);
  return Object.fromEntries(Object.entries(byStatus).map(([status, all]) => [status, all?.length]));
}

test('of 200 wrong keys at once from one address ten are 401, and 190 are 429 with the time to wait', async () => {
  const gate = Promise.withResolvers<void>();
  server.lookups = gate.promise;
  const asked = Promise.all(Array.from({ length: 200 }, (_, n) => signIn(`wrong-${n}`)));
  await eventually(() => expect(server.http.openRequests).toBe(200));

  gate.resolve();
  const answers = await asked;

  expect(statusesOf(answers)).toEqual({ 401: 10, 429: 190 });
  const waits = answers.filter(({ status }) => status === 429).map(({ headers }) => Number(headers.get('retry-after')));
  expect(waits.every((seconds) => seconds > 0 && seconds <= 60)).toBe(true);
});

test('a right key enters from an address whose wrong ones are 429', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, n) => signIn(`wrong-${n}`)));

  const right = await Promise.all([READ_KEY, ADMIN_KEY].map(signIn));

  expect(statusesOf([...right, await signIn('wrong')])).toEqual({ 201: 2, 429: 1 });
});

test('a sign-in that succeeds, or that the store cannot answer, is not counted', async () => {
  await Promise.all(Array.from({ length: 20 }, () => signIn(READ_KEY)));
  server.database.unreachable = true;
  const unreachable = await Promise.all(Array.from({ length: 20 }, () => signIn(READ_KEY)));
  server.database.unreachable = false;

  const wrong = await Promise.all(Array.from({ length: 11 }, (_, n) => signIn(`wrong-${n}`)));

  expect([statusesOf(unreachable), statusesOf(wrong)]).toEqual([{ 503: 20 }, { 401: 10, 429: 1 }]);
});
