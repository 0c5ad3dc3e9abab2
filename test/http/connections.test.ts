import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { IngestServer } from '../support/http/ingest-server.ts';
import { RawClient, request } from '../support/http/raw-client.ts';

const HEALTH = request('/healthz', {}, '', 'GET');

let server: IngestServer;

beforeEach(async () => {
  server = await IngestServer.start({ server: { maxConnections: 2 } });
  onTestFinished(() => server.stop());
});

async function figure(name: string): Promise<number | undefined> {
  const metric = await server.registry.getSingleMetric(name)?.get();
  return metric?.values[0]?.value;
}

test('one connection too many is told 503 and closed, and the others are not hindered', async () => {
  const clients = [await RawClient.connect(server.port), await RawClient.connect(server.port)];
  await eventually(() => expect(server.http.openConnections).toBe(2));

  const surplus = await RawClient.connect(server.port);
  const [refused] = await surplus.closed();

  expect([refused?.status, refused?.json?.type]).toEqual([503, 'urn:tidemark:problem:unavailable']);
  expect(refused?.head).toMatch(/\r\nretry-after: \d+/i);
  for (const client of clients) expect((await client.send(HEALTH).answered())[0]?.status).toBe(200);
  expect(await figure('tidemark_http_connections')).toBe(2);
  expect(await figure('tidemark_http_refused_connections_total')).toBe(1);
});

test('a connection that closes makes room for another', async () => {
  const [gone] = [await RawClient.connect(server.port), await RawClient.connect(server.port)];
  await eventually(() => expect(server.http.openConnections).toBe(2));

  gone?.socket.destroy();

  await eventually(() => expect(server.http.openConnections).toBe(1));
  const client = await RawClient.connect(server.port);
  expect((await client.send(HEALTH).answered())[0]?.status).toBe(200);
});

test('what a refused connection had sent is not acted upon', async () => {
  const before = [await RawClient.connect(server.port), await RawClient.connect(server.port)];
  await eventually(() => expect(server.http.openConnections).toBe(before.length));

  const surplus = await RawClient.connect(server.port);
  await surplus.send(HEALTH.repeat(3)).closed();

  expect(surplus.answers().filter(({ status }) => status !== 503)).toEqual([]);
  expect(server.http.openRequests).toBe(0);
});
