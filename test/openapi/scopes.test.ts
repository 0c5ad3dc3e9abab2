import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../services/stores/projects/project-store.ts';
import { Document, type Operation } from '../support/openapi/document.ts';
import {
  ADMIN_KEY,
  OTHER_PROJECT,
  PROJECT,
  READ_KEY,
  ReadingServer,
  SCOPE_KEYS,
  WRITE_KEY,
} from '../support/http/reading-server.ts';

const document = new Document();
const { operations } = document;
const secured = operations.filter(({ security }) => security.length > 0);
let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
});

afterAll(() => server.stop());

/** The scopes whose keys open an operation of each scope; `any` is what takes every key. */
const OPENED_BY: Readonly<Record<Scope | 'any', readonly Scope[]>> = {
  write: ['write'],
  read: ['read', 'audiences', 'admin'],
  audiences: ['audiences', 'admin'],
  admin: ['admin'],
  flags: ['flags', 'read', 'audiences', 'admin'],
  any: ['write', 'read', 'audiences', 'admin', 'flags'],
};

/** The status of a request with this key and nothing else: no body, and no parameter but the project. */
async function statusOf({ method, path }: Operation, key: string | undefined, query = ''): Promise<number> {
  const response = await fetch(server.url + path + query, {
    method: method.toUpperCase(),
    headers: key === undefined ? {} : { api_key: key },
  });
  await response.body?.cancel();
  return response.status;
}

describe.each(Object.entries(SCOPE_KEYS))('a key of the scope %s', (name, key) => {
  const scope = name as Scope;

  test(`a key of the scope ${scope} opens the operations of that scope, and no others`, async () => {
    for (const operation of secured) {
      // An admin key names the project that the operation is about.
      const query = scope === 'admin' && operation.scope !== 'admin' ? `?project=${PROJECT.id}` : '';
      const isOpened = OPENED_BY[operation.scope ?? 'any'].includes(scope);

      const status = await statusOf(operation, key, query);

      expect(status === 401, `${operation.operationId} ${status}`).toBe(!isOpened);
    }
  });
});

test('without a key, no operation that needs one is opened', async () => {
  for (const operation of secured) expect(await statusOf(operation, undefined), operation.operationId).toBe(401);
});

test('administration is opened by no key of a project, and all of it needs the scope admin', async () => {
  const administration = operations.filter(({ path }) => path.startsWith('/v1/admin'));

  expect(administration.length).toBeGreaterThan(0);
  for (const operation of administration) {
    expect(operation.scope, operation.path).toBe('admin');
    for (const key of Object.values(SCOPE_KEYS).filter((one) => one !== ADMIN_KEY)) {
      expect(await statusOf(operation, key), operation.path).toBe(401);
    }
  }
});

test('an admin key that names no project is told so by every operation of a project that it opens', async () => {
  const ofProject = secured.filter(({ scope }) => scope !== 'admin' && scope !== 'write');
  // Without a project these are about the endpoints of the installation, and about what no project is known for.
  const isProjectOptional = ({ path }: { readonly path: string }): boolean =>
    path.startsWith('/v1/endpoints') || path === '/v1/refusals';
  for (const operation of ofProject.filter(isProjectOptional)) {
    const response = await server.request(operation.path, { method: operation.method.toUpperCase() }, ADMIN_KEY);
    expect(await response.text(), operation.operationId).not.toContain('project is missing');
  }
  for (const operation of ofProject.filter((one) => !isProjectOptional(one))) {
    const response = await server.request(operation.path, { method: operation.method.toUpperCase() }, ADMIN_KEY);

    expect(response.status, operation.operationId).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'invalid-parameter',
      detail: expect.stringMatching(/^project is missing/) as string,
    });
  }
});

test('every operation of a project refuses a project that is not the key’s', async () => {
  for (const operation of secured.filter(({ scope }) => scope !== 'admin')) {
    const key = SCOPE_KEYS[operation.scope ?? 'read'];

    expect(await statusOf(operation, key, `?project=${OTHER_PROJECT.id}`), operation.operationId).toBe(404);
    expect(await statusOf(operation, key, '?project=proj_none'), operation.operationId).toBe(404);
  }
});

test('one text is the answer to a key that is missing, unknown or of the wrong scope', async () => {
  const texts = new Set<string>();
  for (const key of ['', 'unknown', WRITE_KEY]) {
    const response = await server.request('/v1/audiences', {}, key);
    expect(response.status).toBe(401);
    texts.add(await response.text());
  }
  const change = await server.request('/v1/audiences', { method: 'POST', body: '{}' }, READ_KEY);
  texts.add(await change.text());

  expect(texts.size).toBe(1);
});

test('every route that needs a key declares its query parameters, but for those that record messages', () => {
  const undeclared = server.routes.filter(({ scope, query }) => scope !== null && scope !== 'write' && !query);

  expect(undeclared.map(({ path }) => path)).toEqual([]);
});

test('every operation that declares its query parameters refuses another', async () => {
  for (const { method, path, scope, query } of server.routes) {
    if (query === undefined) continue;
    const key = SCOPE_KEYS[scope === null || scope === 'any' ? 'read' : scope];
    const response = await server.request(`${path}?surprise=1`, { method }, key);

    expect(response.status, path).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'invalid-parameter',
      detail: expect.stringContaining('There is no parameter "surprise" here.') as string,
    });
  }
});
