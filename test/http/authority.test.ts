/** Answers that last: whoever has them may have them until they end, or they end. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { hashKey } from '../../services/stores/projects/keys.ts';
import { eventually } from '../support/eventually.ts';
import { jsonRequest, RawClient, request } from '../support/http/raw-client.ts';
import {
  ADMIN_KEY,
  AUDIENCES_KEY,
  OTHER_PROJECT,
  OTHER_READ_KEY,
  PROJECT,
  READ_KEY,
  ReadingServer,
  WRITE_KEY,
} from '../support/http/reading-server.ts';

const AUDIENCE = 'aud_00000000000000000001';
const LAST = '{"next_cursor":';

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
  onTestFinished(() => server.stop());
  await server.addAudience(AUDIENCE);
  server.recorded.records('tidemark.track', 0);
});

async function ask(path: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<RawClient> {
  return (await RawClient.connect(server.port)).send(request(path, headers, body, method));
}

async function whenReceived(client: RawClient, text: string): Promise<void> {
  await eventually(() => expect(client.received).toContain(text));
}

async function signIn(key: string): Promise<{ readonly cookie: string; readonly sha256: string }> {
  const headers = { 'tidemark-console': '1', origin: server.url, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/console/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ key }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, sha256: hashKey(cookie.split('=')[1] ?? '') };
}

describe('the live stream', () => {
  test('the live stream ends when its key is revoked, and says why', async () => {
    const [client, other] = [await listen({ api_key: READ_KEY }), await listen({ api_key: OTHER_READ_KEY })];

    server.revoke(READ_KEY);
    await client.closed();

    expect(client.received).toMatch(/event: end\r?\ndata: .*"urn:tidemark:problem:unauthorized".*\n\n\r\n0\r\n\r\n$/);
    expect(other.received).not.toContain('event: end');
  });

  test('the live stream ends when its session has ended in another process, and says why', async () => {
    const { cookie, sha256 } = await signIn(READ_KEY);
    const client = await listen({ cookie });

    await server.sessions.remove(sha256);
    await client.closed();

    expect(client.received).toContain('event: end');
  });

  test('the live stream ends when its project is deleted, and says why', async () => {
    const ofOther = { api_key: ADMIN_KEY, 'tidemark-project': OTHER_PROJECT.id };
    const [client, other] = [await listen(ofOther), await listen({ ...ofOther, 'tidemark-project': PROJECT.id })];

    server.removeProject(OTHER_PROJECT.id);
    await client.closed();

    expect(client.received).toContain('"urn:tidemark:problem:not-found"');
    expect(other.received).not.toContain('event: end');
  });

  async function listen(headers: Record<string, string>): Promise<RawClient> {
    const client = await ask('/v1/events/live', { connection: 'close', ...headers });
    await whenReceived(client, 'data: ');
    return client;
  }
});

test.each(['members', 'changes'])('a revoked key cuts its stream of %s, which then has no last line', async (what) => {
  const gate = Promise.withResolvers<void>();
  server.analytics.linesGate = gate.promise;
  server.analytics.settled = 1_000_000n;
  server.analytics.lines = [{ internal_id: '1' }, { internal_id: '2' }];
  const client = await ask(`/v1/audiences/${AUDIENCE}/${what}`, { api_key: READ_KEY });
  await whenReceived(client, '"1"');

  server.revoke(READ_KEY);
  await client.closed();
  gate.resolve();

  expect(client.received).not.toContain(LAST);
  await eventually(() => expect(server.analytics.ended).toBe(1));
});

test('a revoked key ends the stream of its job with a problem, and the job with it', async () => {
  server.admin.erasing = new Promise(() => undefined);
  const { id } = await server.admin.projects.createProject({ name: 'shop', timezone: 'UTC', rateLimit: null });
  await server.addProfile('ada', { projectId: id });
  const headers = { api_key: ADMIN_KEY, accept: 'application/x-ndjson', connection: 'close' };
  const client = await ask(`/v1/admin/projects/${id}?confirm=shop`, headers, 'DELETE');
  await whenReceived(client, '{"progress":');

  server.revoke(ADMIN_KEY);
  await client.closed();

  expect(client.received).toMatch(/\{"problem":\{.*unauthorized.*\}\}\n/);
  await eventually(async () => expect(await server.admin.jobs.list(9)).toMatchObject([{ state: 'cancelled' }]));
});

test.each([
  ['changes', AUDIENCES_KEY, `/v1/audiences/${AUDIENCE}/changes?wait=30`, () => server.changesWatch.waiting],
  ['a job', ADMIN_KEY, '/v1/admin/jobs/JOB?wait=30', () => 1],
])('a request that waits for %s is 401 once its key is revoked', async (_, key, path, waiting) => {
  const { id } = await server.admin.jobs.add({ kind: 'verify', args: {}, principal: 'local' }, 'nobody');
  server.analytics.settled = 1_000_000n;
  const client = await ask(path.replace('JOB', id), { api_key: key });
  await eventually(() => expect([server.http.openRequests, waiting()]).toEqual([1, 1]));

  server.revoke(key);
  const [answer] = await client.answered();

  expect([answer?.status, answer?.json?.type]).toEqual([401, 'urn:tidemark:problem:unauthorized']);
  await eventually(() => expect([server.http.openRequests, server.changesWatch.waiting]).toEqual([0, 0]));
});

test('an upload ends when its key is revoked', async () => {
  const headers = { api_key: ADMIN_KEY, 'content-type': 'application/octet-stream', 'content-length': '100' };
  const client = await ask('/v1/admin/imports/files?name=a.csv', headers, 'POST', 'some of it');
  await eventually(() => expect(server.http.openRequests).toBe(1));

  server.revoke(ADMIN_KEY);

  expect((await client.closed()).map(({ status }) => status)).toEqual([401]);
  await eventually(() => expect(server.http.openRequests).toBe(0));
});

test('messages whose body comes late are refused where their key was revoked meanwhile', async () => {
  const body = '{"user_id":"u","event":"e"}';
  const headers = { api_key: WRITE_KEY, 'content-type': 'application/json', 'content-length': String(body.length) };
  const client = await ask('/v1/track', headers, 'POST');
  await eventually(() => expect(server.http.openRequests).toBe(1));
  const waiting = await ask(`/v1/audiences/${AUDIENCE}/changes?wait=30`, { api_key: AUDIENCES_KEY });
  await eventually(() => expect(server.changesWatch.waiting).toBe(1));

  server.revoke(WRITE_KEY);
  server.revoke(AUDIENCES_KEY);
  await waiting.answered();
  client.send(body);

  expect((await client.answered()).map(({ status }) => status)).toEqual([401]);
  expect(server.log.records).toEqual([]);
});

test('messages that were accepted are answered, though their key is revoked meanwhile', async () => {
  server.log.hold();
  const client = await RawClient.connect(server.port);
  client.send(jsonRequest('/v1/track', WRITE_KEY, { user_id: 'u', event: 'e' }));
  await eventually(() => expect(server.log.waiting).toBe(1));
  const waiting = await ask(`/v1/audiences/${AUDIENCE}/changes?wait=30`, { api_key: AUDIENCES_KEY });
  await eventually(() => expect(server.changesWatch.waiting).toBe(1));

  server.revoke(WRITE_KEY);
  server.revoke(AUDIENCES_KEY);
  await waiting.answered();
  server.log.release();

  expect((await client.answered()).map(({ status }) => status)).toEqual([200]);
});

test('a store of sessions that is unreachable ends nothing', async () => {
  const { cookie } = await signIn(READ_KEY);
  const client = await ask('/v1/events/live', { cookie });
  const revoked = await ask('/v1/events/live', { api_key: AUDIENCES_KEY });
  await whenReceived(client, 'data: ');

  server.database.unreachable = true;
  server.revoke(AUDIENCES_KEY);
  await whenReceived(revoked, 'event: end');
  const before = client.received.length;

  await eventually(() => expect(client.received.length).toBeGreaterThan(before));
  expect(client.received).not.toContain('event: end');
});
