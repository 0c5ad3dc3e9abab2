import { afterAll, beforeAll, expect, test } from 'vitest';
import { IngestServer } from '../support/ingest-server.ts';

let server: IngestServer;

beforeAll(async () => {
  server = await IngestServer.start();
});
afterAll(() => server.stop());

test('the front page says what this is and where everything is', async () => {
  const { status, json } = await server.get('/');

  expect([status, json.name]).toEqual([200, 'Tidemark']);
  for (const path of Object.values<string>(json.links)) expect((await server.get(path)).status).toBe(200);
});

test('healthz is 200 while the process is up, ready or not', async () => {
  server.ready = false;
  expect((await server.get('/healthz')).status).toBe(200);
  server.ready = true;
});

test('readyz is 200 once ready and 503 otherwise, and names each part', async () => {
  const ready = await server.get('/readyz');
  server.ready = false;
  const unready = await server.get('/readyz');
  server.ready = true;

  expect([ready.status, ready.json]).toEqual([200, { ready: true, parts: { ingest: 'ready' } }]);
  expect([unready.status, unready.json.ready, unready.headers.get('retry-after')]).toEqual([503, false, '1']);
});

test('metrics are in the Prometheus text format', async () => {
  const { headers, text } = await server.get('/metrics');
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(text).toContain('tidemark_ingest_unacknowledged_bytes 0');
});

test('openapi.json is the document handed in', async () => {
  expect((await server.get('/openapi.json')).json).toEqual({ openapi: '3.1.0' });
});
