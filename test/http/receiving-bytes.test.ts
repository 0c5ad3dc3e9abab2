import { gzipSync } from 'node:zlib';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { IngestServer, LIMITED_KEY, OTHER_KEY, WRITE_KEY } from '../support/http/ingest-server.ts';
import { RawClient, request } from '../support/http/raw-client.ts';

const LIMIT_BYTES = 2_000_000;
const batch = JSON.stringify({
  batch: Array.from({ length: 40 }, (_, n) => ({
    type: 'track',
    user_id: 'u',
    event: 'e',
    properties: { n, text: 'x'.repeat(10_000) },
  })),
});

let server: IngestServer;

beforeEach(async () => {
  server = await IngestServer.start({ maxReceivingBytes: LIMIT_BYTES });
  onTestFinished(() => server.stop());
});

function batchOf(key: string): string {
  const headers = { api_key: key, 'content-type': 'application/json', 'content-length': String(batch.length) };
  return request('/v1/batch', headers, batch);
}

async function heldBytes(): Promise<number> {
  const metric = await server.registry.getSingleMetric('tidemark_http_receiving_bytes')?.get();
  return metric?.values[0]?.value ?? Number.NaN;
}

/** Sends all of it but the end, and waits until it is there. */
async function sendHalf(key: string): Promise<RawClient> {
  const before = await heldBytes();
  const client = await RawClient.connect(server.port);
  client.send(batchOf(key).slice(0, -1));
  await eventually(async () => {
    expect((await heldBytes()) - before).toBeGreaterThan(0.9 * batch.length);
  });
  return client;
}

test('a project whose half-sent bodies hold its half gets 429, another does not, and none once they are gone', async () => {
  const held = [await sendHalf(WRITE_KEY), await sendHalf(WRITE_KEY)];

  const client = await RawClient.connect(server.port);
  const [refused] = await client.send(batchOf(WRITE_KEY)).answered();
  const [taken] = await (await RawClient.connect(server.port)).send(batchOf(OTHER_KEY)).answered();

  expect([refused?.status, refused?.json?.type]).toEqual([429, 'urn:tidemark:problem:overloaded']);
  expect(refused?.head).toMatch(/\r\nretry-after: \d+/i);
  expect(taken?.status).toBe(200);
  for (const { socket } of held) socket.destroy();
  await eventually(async () => expect(await heldBytes()).toBe(0));
  const [, again] = await client.send(batchOf(WRITE_KEY)).answered(2);
  expect(again?.status).toBe(200);
});

test('all projects together hold no more than all of it', async () => {
  await sendHalf(WRITE_KEY);
  await sendHalf(WRITE_KEY);
  await sendHalf(OTHER_KEY);
  await sendHalf(OTHER_KEY);

  const [refused] = await (await RawClient.connect(server.port)).send(batchOf(OTHER_KEY)).answered();

  expect(refused?.status).toBe(429);
  expect(await heldBytes()).toBeLessThanOrEqual(LIMIT_BYTES);
});

test('where all of it is held, a body of a project that has little takes the place of one of whoever has most', async () => {
  const held = [WRITE_KEY, WRITE_KEY, OTHER_KEY, OTHER_KEY];
  const clients: RawClient[] = [];
  for (const key of held) clients.push(await sendHalf(key));

  const third = await RawClient.connect(server.port);
  third.send(batchOf(LIMITED_KEY).slice(0, -1));
  const given = await Promise.race(clients.map((client) => client.answered().then(() => client)));
  const [taken] = await third.send(batchOf(LIMITED_KEY).slice(-1)).answered();

  expect([given.answers()[0]?.status, taken?.status]).toEqual([429, 200]);
  for (const client of clients) if (client !== given) client.send(batch.slice(-1));
  const others = await Promise.all(clients.map((client) => client.answered()));
  expect(others.filter(([answer]) => answer?.status === 200)).toHaveLength(3);
  await eventually(async () => expect(await heldBytes()).toBe(0));
});

test('a half-sent body counts as what has come of it, and a whole one not at all', async () => {
  const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(server.port)));
  for (const client of clients) client.send(batchOf(WRITE_KEY).slice(0, 1_000));
  await eventually(() => expect(server.http.openRequests).toBe(100));

  const [taken] = await (await RawClient.connect(server.port)).send(batchOf(WRITE_KEY)).answered();
  const zipped = await server.post('/v1/batch', gzipSync(batch), { 'content-encoding': 'gzip' });

  expect([taken?.status, zipped.status]).toEqual([200, 200]);
  expect(await heldBytes()).toBeLessThan(100 * 1_000);
});

test('a body in chunks that is refused half way gets its answer', async () => {
  await sendHalf(WRITE_KEY);
  await sendHalf(WRITE_KEY);
  const headers = { api_key: WRITE_KEY, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const client = await RawClient.connect(server.port);

  const chunks = `${batch.length.toString(16)}\r\n${batch}\r\n`;
  const [refused] = await client.send(request('/v1/batch', headers, chunks)).closed();

  expect(refused?.status).toBe(429);
});
