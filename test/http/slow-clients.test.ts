import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { IngestServer, WRITE_KEY } from '../support/http/ingest-server.ts';
import { jsonRequest, RawClient, request } from '../support/http/raw-client.ts';

const HEADERS = { api_key: WRITE_KEY, 'content-type': 'application/json', 'content-length': '100' };

let server: IngestServer;

beforeAll(async () => {
  const timeouts = { headersTimeoutMs: 1_000, bodyTimeoutMs: 1_200, keepAliveTimeoutMs: 200, checkEveryMs: 20 };
  server = await IngestServer.start({ server: timeouts });
});
afterAll(() => server.stop());

async function nothingHeld(): Promise<void> {
  await eventually(() => expect([server.http.openConnections, server.http.openRequests]).toEqual([0, 0]));
}

test('a connection that says nothing is closed', async () => {
  const client = await RawClient.connect(server.port);
  const answers = await client.closed();
  expect(answers.map(({ status }) => status)).toEqual([408]);
  await nothingHeld();
});

test('a head that does not end is closed, however steadily it drips', async () => {
  const client = await RawClient.connect(server.port);
  client.send('POST /v1/track HTTP/1.1\r\nhost: a\r\n');
  const drip = setInterval(() => client.send('x-drip: 1\r\n'), 50);

  const [answer] = await client.closed();
  clearInterval(drip);

  expect([answer?.status, answer?.json?.type]).toEqual([408, 'urn:tidemark:problem:timeout']);
  await nothingHeld();
});

test('a body that does not end is closed, however steadily it drips', async () => {
  const client = await RawClient.connect(server.port);
  client.send(request('/v1/track', HEADERS, '{"user_id":"'));
  const drip = setInterval(() => client.send('u'), 50);

  const [answer] = await client.closed();
  clearInterval(drip);

  expect([answer?.status, answer?.json?.type]).toEqual([408, 'urn:tidemark:problem:timeout']);
  await nothingHeld();
});

// The key may be in the body, as SDKs have it.
test('a body without a key in the head, which does not come, is waited for no longer than others', async () => {
  const client = await RawClient.connect(server.port);
  const answers = await client.send(request('/v1/batch', { 'content-length': '400000' })).closed();
  expect(answers.map(({ status }) => status)).toEqual([408]);
  await nothingHeld();
});

test('the last answer on a two-step path is in its style', async () => {
  const client = await RawClient.connect(server.port);
  const [answer] = await client.send(request('/legacy/add-event', HEADERS, '{')).closed();
  expect(answer?.json).toMatchObject({ success: 408 });
});

test('a second request that stalls is closed, too', async () => {
  const client = await RawClient.connect(server.port);
  await client.send(jsonRequest('/v1/track', WRITE_KEY, { user_id: 'u', event: 'e' })).answered();

  const answers = await client.send(request('/v1/track', HEADERS, '{')).closed();

  expect(answers.map(({ status }) => status)).toEqual([200, 408]);
  await nothingHeld();
});

test('an idle connection is closed after its time', async () => {
  const client = await RawClient.connect(server.port);
  const answers = await client.send(jsonRequest('/v1/track', WRITE_KEY, { user_id: 'u', event: 'e' })).closed();
  expect(answers.map(({ status }) => status)).toEqual([200]);
  await nothingHeld();
});

test('a client that does not read a stream is let go', async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield 'x'.repeat(100_000);
    })(),
  );
  const route = { method: 'GET', path: '/endless', scope: null, bodyLimitBytes: null, style: 'problem' } as const;
  const routes = [{ ...route, handle: () => ({ status: 200, body: endless }) }];
  const other = await IngestServer.start({ routes, server: { unreadTimeoutMs: 400, checkEveryMs: 20 } });
  onTestFinished(() => other.stop());
  const client = await RawClient.connect(other.port);
  client.socket.pause();

  client.send(request('/endless', {}, '', 'GET'));

  await eventually(() => expect(endless.destroyed).toBe(true));
  await eventually(() => expect(other.http.openConnections).toBe(0));
});

test('a client that does not read a whole answer is let go, and none that waits for its own', async () => {
  const route = { method: 'GET', scope: null, bodyLimitBytes: null, style: 'problem' } as const;
  const late = async () => {
    // Four times as long as a client may leave an answer unread.
    await new Promise((resolve) => setTimeout(resolve, 800));
    return { status: 200, body: '"late"' };
  };
  const routes = [
    { ...route, path: '/large', handle: () => ({ status: 200, body: Buffer.alloc(50_000_000) }) },
    { ...route, path: '/late', handle: late },
  ];
  const other = await IngestServer.start({ routes, server: { unreadTimeoutMs: 200, checkEveryMs: 20 } });
  onTestFinished(() => other.stop());
  const [deaf, patient] = [await RawClient.connect(other.port), await RawClient.connect(other.port)];
  deaf.socket.pause();

  deaf.send(request('/large', {}, '', 'GET'));
  await patient.send(request('/late', {}, '', 'GET')).answered();
  const answers = await patient.send(request('/late', {}, '', 'GET')).answered(2);

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await eventually(() => expect(other.http.openConnections).toBe(1));
});

const SMALL = { method: 'GET', path: '/small', scope: null, bodyLimitBytes: null, style: 'problem' } as const;

test('a client that sends on and on and reads none of many small answers is let go', async () => {
  const routes = [{ ...SMALL, handle: () => ({ status: 200, body: `"${'x'.repeat(20_000)}"` }) }];
  const other = await IngestServer.start({ routes, server: { unreadTimeoutMs: 400, checkEveryMs: 20 } });
  onTestFinished(() => other.stop());
  const client = await RawClient.connect(other.port);
  client.socket.pause();

  for (let n = 0; n < 50; n++) client.send(request('/small', {}, '', 'GET').repeat(100));

  await eventually(() => expect(other.http.unreadConnections).toBe(1));
  await eventually(() => expect(other.http.openRequests).toBe(0));
});

/** A server whose only answer has this number of bytes and may be left unread for a second, and a client that asks. */
async function largeAnswer(bytes: number) {
  const routes = [{ ...SMALL, handle: () => ({ status: 200, body: Buffer.alloc(bytes, 32) }) }];
  const other = await IngestServer.start({ routes, server: { unreadTimeoutMs: 1_000, checkEveryMs: 20 } });
  onTestFinished(() => other.stop());
  const socket = connect({ port: other.port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  return { other, socket };
}

test('a client that reads slowly but steadily gets all of a large answer', async () => {
  const bytes = 16_000_000;
  const { other, socket } = await largeAnswer(bytes);
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    // 5 MB a second: three times as long as a client may read nothing.
    socket.pause();
    setTimeout(() => socket.resume(), chunk.length / 5_000);
  });

  socket.write(request('/small', { connection: 'close' }, '', 'GET'));
  await once(socket, 'close');

  expect(received).toBeGreaterThan(bytes);
  expect(other.http.unreadConnections).toBe(0);
});

test('a client is not let go because the service stood still while its answer waited', async () => {
  const bytes = 16_000_000;
  const { other, socket } = await largeAnswer(bytes);
  let received = 0;
  socket.write(request('/small', { connection: 'close' }, '', 'GET'));
  await once(socket, 'data');
  socket.pause();
  socket.on('data', (chunk: Buffer) => (received += chunk.length));
  await delay(100);

  // Client and service share this thread.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  socket.resume();
  await once(socket, 'close');

  expect(received).toBeGreaterThan(bytes - 100_000);
  expect(other.http.unreadConnections).toBe(0);
});

test('a request that has arrived may wait for the log longer than any of these', async () => {
  const client = await RawClient.connect(server.port);
  const silent = await RawClient.connect(server.port);
  server.faulty.hold();
  client.send(jsonRequest('/v1/track', WRITE_KEY, { user_id: 'u', event: 'e' }));
  for (let i = 0; i < 3; i++) await (i === 0 ? silent : await RawClient.connect(server.port)).closed();

  server.faulty.release();

  expect((await client.answered()).map(({ status }) => status)).toEqual([200]);
});
