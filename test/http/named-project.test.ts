import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answeringBy } from '../../services/http/app.ts';
import { HttpServer } from '../../services/http/server.ts';
import {
  ADMIN_KEY,
  AUDIENCES_KEY,
  OTHER_PROJECT,
  PROJECT,
  READ_KEY,
  ReadingServer,
  WRITE_KEY,
} from '../support/http/reading-server.ts';

let server: ReadingServer;
let local: HttpServer;
let localUrl: string;

beforeAll(async () => {
  server = await ReadingServer.start();
  await server.addProfile('ada');
  // The Unix socket's server is made so, of the same parts.
  local = new HttpServer(answeringBy(server.parts, { isLocal: true }));
  localUrl = `http://127.0.0.1:${(await local.listen('127.0.0.1', 0)).port}`;
});

afterAll(() => Promise.all([local.close(0), server.stop()]));

interface Reply {
  readonly status: number;
  readonly body: { readonly code?: string; readonly detail?: string; readonly user_id?: string };
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, { headers });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

const ADA = '/v1/users/ada';

describe('the project that an admin key names', () => {
  test.each([
    ['by its id', `?project=${PROJECT.id}`, {}],
    ['in a header', '', { 'tidemark-project': PROJECT.id }],
    ['in both', `?project=${PROJECT.id}`, { 'tidemark-project': PROJECT.id }],
    ['percent-encoded', `?project=${PROJECT.id.replace('_', '%5f')}`, {}],
    ['under a name that is percent-encoded', `?%70roject=${PROJECT.id}`, {}],
  ])('an admin key reads the project that is named %s', async (_, query, headers) => {
    const reply = await get(`${server.url}${ADA}${query}`, { api_key: ADMIN_KEY, ...headers });

    expect(reply).toMatchObject({ status: 200, body: { user_id: 'ada' } });
  });

  test('an admin key reads no other project than the one it names', async () => {
    const reply = await get(`${server.url}${ADA}?project=${OTHER_PROJECT.id}`, { api_key: ADMIN_KEY });

    expect(reply).toMatchObject({ status: 404, body: { code: 'not-found' } });
    expect(reply.body.detail).toContain('No user');
  });

  test.each([
    ['twice', '?project=a&project=b', {}, 'project may name one project only'],
    ['and another in the header', '?project=a', { 'tidemark-project': 'b' }, 'project may name one project only'],
    ['by an empty text', '?project=', {}, 'project is empty'],
    ['by no parameter', '?projects=x', {}, 'project is missing'],
  ])('an admin key that names a project %s is refused', async (_, query, headers, detail) => {
    const reply = await get(`${server.url}${ADA}${query}`, { api_key: ADMIN_KEY, ...headers });

    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
    expect(reply.body.detail).toContain(detail);
  });

  test('an admin key that names no project has the endpoints of the installation, and no project has them', async () => {
    const of = { url: 'https://ops.example.com/', types: ['verification.differs'] };
    const made = await server.request('/v1/endpoints', { method: 'POST', body: JSON.stringify(of) }, ADMIN_KEY);
    expect(made.status).toBe(201);
    const { id, project_id: projectId } = (await made.json()) as Record<string, unknown>;
    expect(projectId).toBeNull();

    const own = await get(`${server.url}/v1/endpoints`, { api_key: ADMIN_KEY });
    const theirs = await get(`${server.url}/v1/endpoints?project=${PROJECT.id}`, { api_key: ADMIN_KEY });
    const ours = await get(`${server.url}/v1/endpoints/${String(id)}`, { api_key: AUDIENCES_KEY });

    expect(own.body).toMatchObject({ endpoints: [{ id, project_id: null }] });
    expect([theirs.body, ours.status]).toMatchObject([{ endpoints: [] }, 404]);
    const tested = await server.request(`/v1/endpoints/${String(id)}/test`, { method: 'POST' }, ADMIN_KEY);
    expect(await tested.json()).toMatchObject({ type: 'endpoint.test', state: 'delivered' });
  });
});

describe('the project that a key of a project names', () => {
  test.each([READ_KEY, AUDIENCES_KEY])('naming its own project changes nothing', async (key) => {
    expect(await get(`${server.url}${ADA}?project=${PROJECT.id}`, { api_key: key })).toMatchObject({ status: 200 });
    const headers = { api_key: key, 'tidemark-project': PROJECT.id };
    expect(await get(server.url + ADA, headers)).toMatchObject({ status: 200 });
  });

  test('a message with the name of another project is not recorded', async () => {
    const body = '{"user_id":"u","event":"e"}';
    const path = `/v1/track?project=${OTHER_PROJECT.id}`;

    expect((await server.request(path, { method: 'POST', body }, WRITE_KEY)).status).toBe(404);
    expect(server.log.records).toEqual([]);
  });
});

describe('the Unix socket', () => {
  test('a request without a key opens administration', async () => {
    expect(await get(`${localUrl}/v1/admin/audit`)).toMatchObject({ status: 200 });
  });

  test('a request without a key reads the project that it names', async () => {
    expect(await get(`${localUrl}${ADA}?project=${PROJECT.id}`)).toMatchObject({ status: 200 });
    expect(await get(localUrl + ADA)).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
  });

  test('a request without a key records no message', async () => {
    const init = {
      method: 'POST',
      body: '{"user_id":"u","event":"e"}',
      headers: { 'content-type': 'application/json' },
    };

    expect((await fetch(`${localUrl}/v1/track`, init)).status).toBe(401);
  });

  test('a key counts there as it does on the port', async () => {
    const reply = await get(`${localUrl}/v1/admin/audit`, { api_key: READ_KEY });

    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(await get(localUrl + ADA, { api_key: READ_KEY })).toMatchObject({ status: 200 });
  });
});
