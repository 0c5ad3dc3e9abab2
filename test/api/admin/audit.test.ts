import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Registry } from 'prom-client';
import { answeringBy, createHttpServer } from '../../../services/http/app.ts';
import { RouteTable } from '../../../services/http/route-table.ts';
import type { Route } from '../../../services/http/route.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { HttpServer } from '../../../services/http/server.ts';
import {
  ADMIN_KEY,
  AUDIENCES_KEY,
  OTHER_PROJECT,
  OTHER_READ_KEY,
  PROJECT,
  ReadingServer,
} from '../../support/http/reading-server.ts';

interface Page {
  readonly entries: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

const GOLD = '{"trait":"tier","is":"gold"}';
let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
  onTestFinished(() => server.stop());
});

async function audit(query = ''): Promise<Page> {
  const response = await server.request(`/v1/admin/audit${query}`, {}, ADMIN_KEY);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

function send(method: string, path: string, body: string | undefined, key = AUDIENCES_KEY): Promise<Response> {
  return server.request(path, { method, ...(body !== undefined && { body }) }, key);
}

test('the evaluation of an audience is recorded, with what it found', async () => {
  const { id } = await server.addAudience('aud_00000000000000000007');
  expect((await send('POST', `/v1/audiences/${id}/evaluate`, undefined)).status).toBe(200);

  const { entries } = await audit();

  const after = { evaluated_at: '1970-01-01T00:00:01.000000Z', members: 1 };
  expect(entries[0]).toMatchObject({
    action: 'audience.evaluate',
    object: id,
    project: PROJECT.id,
    before: null,
    after,
  });
});

test('every change of a webhook is recorded with its URL as far as that holds no secret', async () => {
  const made = await send('POST', '/v1/endpoints', '{"url":"https://example.com/hook?token=SECRET-1"}');
  const { id, url } = (await made.json()) as { id: string; url: string };
  await send('PATCH', `/v1/endpoints/${id}`, '{"url":"https://example.com/?SECRET-2"}');
  await send('POST', `/v1/endpoints/${id}/rotate`, '{}');
  await send('POST', `/v1/endpoints/${id}/resend`, '{"since":"2026-11-20T00:00:00Z"}');
  await send('DELETE', `/v1/endpoints/${id}`, undefined);

  const { entries } = await audit();

  expect(url).toContain('SECRET-1');
  expect(JSON.stringify(entries)).not.toContain('SECRET');
  const [first, second] = ['https://example.com/hook?…', 'https://example.com/?…'];
  expect(entries.toReversed()).toMatchObject([
    { action: 'endpoint.create', after: { id, url: first } },
    { action: 'endpoint.change', before: { url: first }, after: { url: second } },
    { action: 'endpoint.rotate', after: { url: second } },
    { action: 'endpoint.resend' },
    { action: 'endpoint.delete', before: { url: second } },
  ]);
});

test('saving, changing and deleting an audience are recorded with what it was and is', async () => {
  const saved = await send('POST', '/v1/audiences', `{"name":"Gold","definition":${GOLD}}`);
  const { id } = (await saved.json()) as { id: string };
  await send('PATCH', `/v1/audiences/${id}`, '{"refresh":"1d"}');
  await send('DELETE', `/v1/audiences/${id}`, undefined);

  const { entries } = await audit();

  const gold = { name: 'Gold', definition: JSON.parse(GOLD) as object, refresh: null };
  const daily = { ...gold, refresh: '1d' };
  const common = {
    principal: { id: 'key_audiences', name: 'Jobs' },
    source: '127.0.0.1',
    project: PROJECT.id,
    object: id,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/) as string,
    request_id: expect.any(String) as string,
  };
  expect(entries).toMatchObject([
    { ...common, action: 'audience.delete', before: daily, after: null },
    { ...common, action: 'audience.change', before: gold, after: daily },
    { ...common, action: 'audience.save', before: null, after: gold },
  ]);
});

test('an entry has the id of the request that made the change, and each digit of a definition', async () => {
  const definition = '{"trait":"total","gt":12345678901234567890.10}';
  const saved = await send('POST', '/v1/audiences', `{"name":"Rich","definition":${definition}}`);

  const text = await (await server.request('/v1/admin/audit', {}, ADMIN_KEY)).text();

  expect(text).toContain(definition);
  expect(text).toContain(`"request_id":"${saved.headers.get('x-request-id')}"`);
});

test('what was refused is not recorded', async () => {
  await send('POST', '/v1/audiences', '{"name":"Gold"}');
  await send('DELETE', '/v1/audiences/aud_none', undefined);

  expect(await audit()).toEqual({ entries: [], next_cursor: null });
});

test('a change of an admin key is recorded in the project that it names', async () => {
  const path = `/v1/audiences?project=${OTHER_PROJECT.id}`;
  expect((await send('POST', path, `{"name":"Gold","definition":${GOLD}}`, ADMIN_KEY)).status).toBe(201);

  const { entries } = await audit();

  expect(entries).toMatchObject([{ principal: { id: 'key_admin', name: 'Operators' }, project: OTHER_PROJECT.id }]);
});

test('a change over the Unix socket is recorded with the user that the command line says', async () => {
  const local = new HttpServer(answeringBy(server.parts, { isLocal: true }));
  const { port } = await local.listen('127.0.0.1', 0);
  onTestFinished(() => local.close(0));
  const body = `{"name":"Gold","definition":${GOLD}}`;
  for (const user of ['ada', 'ada <lovelace>']) {
    const headers = { 'content-type': 'application/json', 'tidemark-user': user, 'tidemark-project': PROJECT.id };
    const url = `http://127.0.0.1:${port}/v1/audiences`;
    await fetch(url, { method: 'POST', headers, body: body.replace('Gold', user) });
  }

  const { entries } = await audit();

  const principals = entries.map(({ principal, source }) => ({ principal, source }));
  expect(principals).toEqual([
    { principal: { id: 'local', name: null }, source: null },
    { principal: { id: 'local', name: 'ada' }, source: null },
  ]);
});

test('a change whose entry cannot be written is answered as made, and counted', async () => {
  server.database.unreachable = /audit_log/;

  const saved = await send('POST', '/v1/audiences', `{"name":"Gold","definition":${GOLD}}`);

  expect(saved.status).toBe(201);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('tidemark_http_audit_failures_total 1');
  server.database.unreachable = false;
  expect((await audit()).entries).toEqual([]);
});

test('a text that is too long is recorded by its length, and one line of the log tells of each change', async () => {
  const lines: string[] = [];
  const long = `"${'x'.repeat(70_000)}"`;
  const route: Route = {
    method: 'POST',
    path: '/v1/admin/things',
    scope: 'admin',
    bodyLimitBytes: null,
    style: 'problem',
    handle: () => {
      const audit = { action: 'thing.make', object: 't1', project: null, before: '"short"', after: long };
      return { status: 201, body: '{}', audit };
    },
  };
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const table = new RouteTable([{ routes: [route] }]);
  const http = createHttpServer({ ...server.parts, table, logger, registry: new Registry() });
  const { port } = await http.listen('127.0.0.1', 0);
  onTestFinished(() => http.close(0));

  await fetch(`http://127.0.0.1:${port}/v1/admin/things`, { method: 'POST', headers: { api_key: ADMIN_KEY } });

  expect((await audit()).entries).toMatchObject([
    { action: 'thing.make', project: null, before: 'short', after: { omitted_characters: 70_002 } },
  ]);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'info', msg: 'changed', audit: { principalId: 'key_admin', action: 'thing.make', object: 't1' } },
  ]);
  for (const text of ['short', 'xxx', ADMIN_KEY]) expect(lines[0]).not.toContain(text);
});

test('the audit log is filtered by action, project, principal and time, and read page by page', async () => {
  for (const name of ['a', 'b']) await send('POST', '/v1/audiences', `{"name":"${name}","definition":${GOLD}}`);
  await send('POST', '/v1/audiences', `{"name":"c","definition":${GOLD}}`, OTHER_READ_KEY);
  const namesIn = async (query: string): Promise<unknown[]> =>
    (await audit(query)).entries.map(({ after }) => (after as { name: string }).name);

  const page = await audit('?limit=2');

  expect(page.entries).toHaveLength(2);
  expect(await namesIn(`?cursor=${page.next_cursor}`)).toEqual(['a']);
  expect(await namesIn(`?project=${OTHER_PROJECT.id}`)).toEqual(['c']);
  expect(await namesIn('?principal=Jobs')).toEqual(['b', 'a']);
  expect(await namesIn('?principal=key_other')).toEqual(['c']);
  expect(await namesIn('?action=audience.delete')).toEqual([]);
  expect(await namesIn('?since=2020-01-01')).toEqual(['c', 'b', 'a']);
  expect(await namesIn('?until=2020-01-01T00:00:00Z')).toEqual([]);
});
