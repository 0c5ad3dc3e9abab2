import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../services/http/route.ts';
import { TidemarkError, type ErrorCode } from '../../services/runtime/errors.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { eventually } from '../support/eventually.ts';
import { IngestServer, READ_KEY, UNCHECKABLE_KEY, WRITE_KEY } from '../support/http/ingest-server.ts';
import { RawClient, request } from '../support/http/raw-client.ts';

const TRACK = { user_id: 'u', event: 'e' };
const lines: string[] = [];
const common = { method: 'GET', scope: 'read', bodyLimitBytes: null, style: 'problem' } as const;
const left = Promise.withResolvers<boolean>();
const arrived = Promise.withResolvers<void>();
const lateStream = {
  asked: Promise.withResolvers<void>(),
  ended: Promise.withResolvers<unknown>(),
  body: Readable.from(['[1', ',2]']),
};

const routes: Route[] = [
  {
    ...common,
    path: '/v1/users/:user_id',
    handle: ({ params, query }) => ({ status: 200, body: JSON.stringify({ ...params, q: query.get('q') }) }),
  },
  { ...common, path: '/v1/users/:user_id/events', handle: () => ({ status: 200, body: '[]' }) },
  { ...common, method: 'DELETE', path: '/v1/users/:user_id', handle: () => ({ status: 200, body: '{}' }) },
  {
    ...common,
    path: '/fails/:code',
    scope: null,
    handle: ({ params }) => {
      if (params['code'] === 'OTHER') throw new Error('a secret of ours');
      throw new TidemarkError(params['code'] as ErrorCode, 'past 5 s');
    },
  },
  { ...common, path: '/stream', scope: 'any', handle: () => ({ status: 200, body: Readable.from(['[1', ',2]']) }) },
  {
    ...common,
    path: '/breaks',
    scope: null,
    handle: () => ({ status: 200, body: Readable.from(failing()) }),
  },
  {
    ...common,
    path: '/slow',
    scope: null,
    handle: async ({ signal }) => {
      arrived.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      left.resolve(signal.aborted);
      return { status: 200, body: '{}' };
    },
  },
  {
    ...common,
    path: '/late-stream',
    scope: null,
    handle: async ({ res }) => {
      lateStream.asked.resolve();
      await new Promise((resolve) => res.once('close', resolve));
      lateStream.body.once('close', lateStream.ended.resolve);
      return { status: 200, body: lateStream.body };
    },
  },
];

function* failing(): Generator<string> {
  yield 'half of it';
  throw new Error('broken');
}

interface LogEntry {
  readonly level: string;
  readonly requestId?: string;
  readonly err?: { readonly message: string };
}

function entryOf(line: string): LogEntry {
  return JSON.parse(line) as LogEntry;
}

let server: IngestServer;

beforeAll(async () => {
  const destination = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  server = await IngestServer.start({ routes, logger: createLogger('debug', destination) });
});
afterAll(() => server.stop());

const read = { headers: { api_key: READ_KEY } };

describe('paths and methods', () => {
  test.each([
    '/nothing',
    '/v1/track//',
    '/V1/track',
    '//v1/track',
    '/v1/%74rack',
    '/v1/users',
    '/v1/users/',
    '/legacyx',
  ])('%s is 404', async (path) => {
    const reply = await server.get(path, read);
    expect([reply.status, reply.json.type]).toEqual([404, 'urn:tidemark:problem:not-found']);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
  });

  test.each([
    ['GET', '/v1/track', 'POST'],
    ['HEAD', '/v1/batch', 'POST'],
    ['OPTIONS', '/v1/identify', 'POST'],
    ['PATCH', '/healthz', 'GET, HEAD'],
    ['POST', '/v1/users/u', 'DELETE, GET, HEAD'],
    ['PUT', '/legacy/project-user', 'POST'],
  ])('%s %s is 405 and names %s', async (method, path, allow) => {
    const reply = await server.get(path, { method });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow]);
  });

  test('unknown paths of the two-step interface are refused in its style', async () => {
    const reply = await server.get('/legacy/nothing');
    expect(reply.json).toEqual({ success: 404, message: expect.any(String) });
  });

  test('HEAD answers as GET does, without the body', async () => {
    const get = await server.get('/v1/users/u', read);
    const head = await server.get('/v1/users/u', { ...read, method: 'HEAD' });

    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect((await server.get('/stream', { ...read, method: 'HEAD' })).text).toBe('');
  });

  test('parameters are percent-decoded, slashes and all', async () => {
    const name = 'a/b c?d%é😀.';
    const { json } = await server.get(`/v1/users/${encodeURIComponent(name)}?q=${encodeURIComponent('ü&')}`, read);
    expect(json).toEqual({ user_id: name, q: 'ü&' });
  });

  test.each(['/v1/users/%zz', '/v1/users/%', '/v1/users/%ff', '/v1/users/u?q=%e2%82'])('%s is 400', async (path) => {
    const client = await RawClient.connect(server.port);
    const [answer] = await client.send(request(path, { api_key: READ_KEY }, '', 'GET')).answered();
    expect([answer?.status, answer?.json?.type]).toEqual([400, 'urn:tidemark:problem:invalid-parameter']);
  });
});

describe('what a handler throws', () => {
  test.each([
    ['LOG_UNAVAILABLE', 503],
    ['STORE_UNAVAILABLE', 503],
    ['STORE_TIMEOUT', 503],
    ['STOPPING', 503],
    ['QUERY_LIMIT', 422],
    ['STORE_REJECTED', 500],
    ['OTHER', 500],
  ])('%s is %i', async (code, status) => {
    const reply = await server.get(`/fails/${code}`);

    expect(reply.status).toBe(status);
    expect(reply.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    expect(reply.text).not.toContain('secret');
  });

  test('an error of the service is logged under the request id', async () => {
    await server.get('/fails/OTHER', { headers: { 'x-request-id': 'the-one' } });
    const entry = lines.map(entryOf).find(({ level, requestId }) => level === 'error' && requestId === 'the-one');
    expect(entry?.err?.message).toBe('a secret of ours');
  });

  test('an error in the middle of a stream cuts the answer short', async () => {
    await expect(server.get('/breaks')).rejects.toThrow();
    expect((await server.get('/healthz')).status).toBe(200);
  });
});

describe('every answer', () => {
  test.each(['abc-123', 'A'.repeat(128), 'a.b:c/d=+_'])('every answer carries the request id %s back', async (id) => {
    expect((await server.get('/healthz', { headers: { 'x-request-id': id } })).headers.get('x-request-id')).toBe(id);
  });

  test.each(['A'.repeat(129), 'with space', '<script>', ''])(
    'every answer has a new request id instead of %o',
    async (id) => {
      const reply = await server.get('/nothing', { headers: { 'x-request-id': id } });
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-\d+$/);
    },
  );

  test('an answer has no CORS headers', async () => {
    const reply = await server.post('/v1/track', TRACK, { origin: 'https://shop.example' });
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('an answer from a stream is complete', async () => {
    expect((await server.get('/stream', read)).json).toEqual([1, 2]);
  });
});

test('a handler hears when its client goes away', async () => {
  const client = await RawClient.connect(server.port);
  client.send(request('/slow', {}, '', 'GET'));
  await arrived.promise;

  client.socket.destroy();

  expect(await left.promise).toBe(true);
});

test('a stream that is ready only after the client has left is ended, and with it what it reads from', async () => {
  const client = await RawClient.connect(server.port);
  client.send(request('/late-stream', {}, '', 'GET'));
  await lateStream.asked.promise;

  client.socket.destroy();

  await lateStream.ended.promise;
  expect(lateStream.body.destroyed).toBe(true);
});

test('one line a request at debug, with nothing personal in it', async () => {
  lines.length = 0;
  await server.get('/v1/users/jane?q=secret', { headers: { ...read.headers, 'x-request-id': 'r-1' } });

  await eventually(() => expect(lines).toHaveLength(1));

  expect(entryOf(lines[0] ?? '')).toMatchObject({
    method: 'GET',
    route: '/v1/users/:user_id',
    status: 200,
    requestId: 'r-1',
  });
  for (const text of ['jane', 'secret', READ_KEY]) expect(lines[0]).not.toContain(text);
});

test('metrics count by route and class of status and name no user and no project', async () => {
  await server.get('/v1/users/jane', read);
  await server.post('/v1/track', TRACK);
  await server.post('/v1/track', TRACK, { api_key: UNCHECKABLE_KEY });

  const { text } = await server.get('/metrics');

  expect(text).toContain('request_duration_seconds_count{route="/v1/users/:user_id",method="GET",status="2xx"}');
  expect(text).toContain('request_duration_seconds_count{route="/v1/track",method="POST",status="5xx"} 1');
  expect(text).toContain('messages_accepted_total{topic="tidemark.track"}');
  for (const secret of ['jane', 'proj_', WRITE_KEY]) expect(text).not.toContain(secret);
});
