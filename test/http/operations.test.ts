import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_KEY, IngestServer, READ_KEY } from '../support/http/ingest-server.ts';

let server: IngestServer;

beforeAll(async () => {
  server = await IngestServer.start();
});
afterAll(() => server.stop());

test('the front page says what this is and where everything is', async () => {
  const { status, json } = await server.get('/');

  expect([status, json.name]).toEqual([200, 'Tidemark']);
  for (const path of Object.values<string>(json.links)) expect((await fetch(server.url + path)).status).toBe(200);
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

test('metrics ask for the key that is set, and take an admin key of the service too', async () => {
  const metricsKey = 'k'.repeat(32);
  const closed = await IngestServer.start({ metricsKey });
  const given = [
    {},
    { authorization: `Bearer ${metricsKey}` },
    { api_key: ADMIN_KEY },
    { api_key: READ_KEY },
    { api_key: 'k' },
  ];

  const answers = await Promise.all(given.map(async (headers) => fetch(`${closed.url}/metrics`, { headers })));
  const health = await fetch(`${closed.url}/healthz`);
  await closed.stop();

  expect(answers.map(({ status }) => status)).toEqual([401, 200, 200, 401, 401]);
  expect([answers[0]?.headers.get('www-authenticate'), health.status]).toEqual([expect.stringMatching(/^Bearer/), 200]);
});

test.each(['/openapi.json', '/docs', '/docs/start.js', '/docs/swagger-ui.css', '/docs/operations.md'])(
  '%s may be kept: it is 304 to who has its ETag',
  async (path) => {
    const whole = await fetch(server.url + path);
    const etag = whole.headers.get('etag') ?? '';
    const ask = async (tags: string): Promise<Response> =>
      fetch(server.url + path, { headers: { 'if-none-match': tags }, cache: 'no-store' });
    const [same, weak, any, other] = [await ask(etag), await ask(`"x", W/${etag}`), await ask('*'), await ask('"x"')];

    expect([etag, whole.headers.get('cache-control')]).toEqual([expect.stringMatching(/^"[\w-]{22}"$/), 'no-cache']);
    expect([same, weak, any, other].map(({ status }) => status)).toEqual([304, 304, 304, 200]);
    expect([await same.text(), same.headers.get('etag'), same.headers.get('content-length')]).toEqual(['', etag, null]);
  },
);

test('openapi.json is the document handed in', async () => {
  expect((await server.get('/openapi.json')).json).toEqual({ openapi: '3.1.0' });
});

test('a browser gets the front page as HTML, with the state of each part and no script', async () => {
  server.ready = false;
  const headers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const answer = await fetch(server.url, { headers });
  server.ready = true;
  const page = await answer.text();

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('vary')).toBe('Accept');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).toContain('It is not ready.');
  expect(page).toContain('ingest');
  expect(page).not.toContain('<script');
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(links).toContain('docs');
  for (const path of links) expect((await fetch(`${server.url}/${path}`)).status, path).toBe(200);
});

test('the API reference loads nothing that this service does not have', async () => {
  const answer = await fetch(`${server.url}/docs`);
  const page = await answer.text();
  const loaded = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path ?? '');

  expect(loaded).toEqual(['docs/swagger-ui.css', 'docs/swagger-ui-bundle.js', 'docs/start.js']);
  for (const path of loaded) {
    const file = await fetch(`${server.url}/${path}`);
    expect([file.status, file.headers.get('x-content-type-options')], path).toEqual([200, 'nosniff']);
    expect((await file.arrayBuffer()).byteLength, path).toBeGreaterThan(100);
  }
  expect(answer.headers.get('content-security-policy')).toContain("connect-src 'self'");
});

test('the API reference has no other file', async () => {
  for (const file of [
    'package.json',
    '..%2Fpackage.json',
    'index.html',
    '__proto__',
    'constructor',
    '..%2FREADME.md',
    'none.md',
  ])
    expect((await fetch(`${server.url}/docs/${file}`)).status, file).toBe(404);
});
