import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { IngestServer, WRITE_KEY } from '../support/http/ingest-server.ts';
import { jsonRequest, RawClient, request } from '../support/http/raw-client.ts';

const good = jsonRequest('/v1/track', WRITE_KEY, { user_id: 'u', event: 'e' });
const LONG_MS = 20_000;

async function start(): Promise<IngestServer> {
  const server = await IngestServer.start();
  onTestFinished(() => server.stop());
  return server;
}

test('stopping closes idle connections at once, used or not', async () => {
  const server = await start();
  const used = await RawClient.connect(server.port);
  await used.send(good).answered();
  const fresh = await RawClient.connect(server.port);
  const partial = (await RawClient.connect(server.port)).send('POST /v1/track HTTP/1.1\r\n');
  await eventually(() => expect(server.http.openConnections).toBe(3));

  await server.http.close(LONG_MS);

  for (const client of [used, fresh, partial]) await client.closed();
  expect(server.http.openConnections).toBe(0);
});

test('stopping answers what was accepted, says that it closes, and takes nothing new', async () => {
  const server = await start();
  const client = await RawClient.connect(server.port);
  server.faulty.hold();
  client.send(good);
  await eventually(() => expect(server.faulty.waiting).toBe(1));

  const closing = server.http.close(LONG_MS);
  await expect(RawClient.connect(server.port)).rejects.toThrow();
  server.faulty.release();
  await closing;

  const [answer] = await client.closed();
  expect(answer?.status).toBe(200);
  expect(answer?.head).toMatch(/connection: close/i);
});

test('stopping lets a body that is on its way arrive', async () => {
  const server = await start();
  const client = await RawClient.connect(server.port);
  client.send(good.slice(0, -5));
  await eventually(() => expect(server.http.openRequests).toBe(1));

  const closing = server.http.close(LONG_MS);
  client.send(good.slice(-5));
  await closing;

  expect((await client.closed()).map(({ status }) => status)).toEqual([200]);
});

test('stopping cuts what does not end within the bound', async () => {
  const server = await start();
  const client = await RawClient.connect(server.port);
  client.send(request('/v1/track', { api_key: WRITE_KEY, 'content-type': 'application/json', 'content-length': '9' }));
  await eventually(() => expect(server.http.openRequests).toBe(1));

  await server.http.close(50);

  expect(await client.closed()).toEqual([]);
  await eventually(() => expect(server.http.openRequests).toBe(0));
});

test('stopping twice is stopping once', async () => {
  const server = await start();
  const first = server.http.close(LONG_MS);
  expect(server.http.close(0)).toBe(first);
  await first;
});

test('a port that is taken is an error, not a crash', async () => {
  const server = await start();
  const other = await start();
  await expect(other.http.listen('127.0.0.1', server.port)).rejects.toThrow();
  // An error that nobody handled would end the process in the next turn of the event loop.
  await nextTurn();
});
