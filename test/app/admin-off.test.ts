import { expect, test } from 'vitest';
import { ServiceClient } from '../../services/cli/client/service-client.ts';
import { controlSocketPath } from '../../services/runtime/control-socket.ts';
import { ADMIN_KEY, READ_KEY } from '../support/service/service.ts';
import { sharedService } from '../support/service/shared-service.ts';

const service = sharedService(() => ({ ADMIN: 'off' }));

async function answer(method: string, path: string, key = ADMIN_KEY) {
  const response = await fetch(service().url + path, { method, headers: { api_key: key } });
  return { status: response.status, allow: response.headers.get('allow'), body: await response.json() };
}

test.each([
  ['GET', '/v1/admin/audit'],
  ['DELETE', '/v1/admin/audit'],
  ['GET', '/v1/admin/nothing'],
  ['POST', '/v1/admin/erasures'],
  ['GET', '/v1/admin'],
])('%s %s is like a path that does not exist where ADMIN=off', async (method, path) => {
  for (const key of [ADMIN_KEY, READ_KEY, '']) {
    expect(await answer(method, path, key)).toEqual(await answer('GET', '/v1/nothing', key));
  }
  expect(await answer(method, path)).toMatchObject({ status: 404, allow: null });
});

test('nobody is forgotten over the port where ADMIN=off', async () => {
  expect(await answer('DELETE', '/v1/users/ada')).toMatchObject({ status: 405, allow: 'GET, HEAD' });
});

test('an admin key goes on reading projects on the port where ADMIN=off', async () => {
  expect(await answer('GET', '/v1/users?prefix=a&project=default')).toMatchObject({ status: 200 });
});

test('the Unix socket has what needs the scope admin where ADMIN=off', async () => {
  const socketPath = controlSocketPath(service().dataDir);
  const client = new ServiceClient({ url: 'http://tidemark', socketPath }, undefined);

  expect(await client.get('/v1/admin/audit')).toMatchObject({ status: 200 });
});
