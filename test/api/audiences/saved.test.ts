import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatMicros } from '../../../services/messages/timestamp.ts';
import { AUDIENCES_KEY, PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
});

afterAll(() => server.stop());

interface Reply {
  readonly status: number;
  readonly etag: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  method: string,
  path: string,
  { match, body, key = AUDIENCES_KEY }: { readonly match?: string; readonly body?: object; readonly key?: string } = {},
): Promise<Reply> {
  const response = await fetch(`${server.url}/v1/audiences${path}`, {
    method,
    headers: { api_key: key, 'content-type': 'application/json', ...(match !== undefined && { 'if-match': match }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answered = (await response.json()) as Reply['body'];
  return { status: response.status, etag: response.headers.get('etag'), body: answered };
}

let count = 0;

async function saved(): Promise<string> {
  const definition = { trait: 'tier', is: 'gold' };
  const { status, etag, body } = await send('POST', '', { body: { name: `Gold ${++count}`, definition } });
  expect([status, etag, body['revision']]).toEqual([201, '"1"', 1]);
  return String(body['id']);
}

test('every answer with an audience has its revision as the ETag', async () => {
  const id = await saved();

  const changed = await send('PATCH', `/${id}`, { body: { refresh: '1h' } });
  const read = await send('GET', `/${id}`);
  const evaluated = await send('POST', `/${id}/evaluate`);

  for (const reply of [changed, read, evaluated]) {
    expect(reply).toMatchObject({ status: 200, etag: '"2"', body: { version: 1, revision: 2 } });
  }
});

test('saving a definition that compares with a duration as text is answered with a warning', async () => {
  const definition = { trait: 'signed_up', gt: '90d' };
  const warnings = [{ pointer: '/definition/gt', message: expect.any(String) }];

  const created = await send('POST', '', { body: { name: 'Recent', definition } });
  const changed = await send('PATCH', `/${String(created.body['id'])}`, { body: { definition } });
  const renamed = await send('PATCH', `/${String(created.body['id'])}`, { body: { name: 'Not so recent' } });

  expect(created).toMatchObject({ status: 201, body: { warnings } });
  expect(changed).toMatchObject({ status: 200, body: { warnings } });
  expect(renamed.body).not.toHaveProperty('warnings');
});

test('an audience refers to another, which is kept meanwhile, and to no unknown one', async () => {
  const id = await saved();
  const definition = { all: [{ trait: 'n', is: 1 }, { not: { audience: id } }] };

  const user = await send('POST', '', { body: { name: 'Without gold', definition } });
  const unknown = await send('POST', '', { body: { name: 'Unknown', definition: { audience: 'aud_none' } } });
  const circle = await send('PATCH', `/${id}`, { body: { definition: { audience: user.body['id'] } } });
  const deleted = await send('DELETE', `/${id}`);

  expect(user).toMatchObject({ status: 201, body: { definition } });
  expect(unknown).toMatchObject({ status: 400, body: { errors: [{ path: '/definition/audience' }] } });
  expect(circle).toMatchObject({ status: 409, body: { error_code: 'AUDIENCE_CIRCLE' } });
  expect(circle.body['detail']).toMatch(/Gold \d+ → Without gold → Gold \d+/);
  expect(deleted).toMatchObject({ status: 409, body: { error_code: 'AUDIENCE_USED' } });
  expect(deleted.body['detail']).toContain('"Without gold"');
});

test('a description names the audiences that are referred to, wherever the audience is answered', async () => {
  const id = await saved();
  const name = `Gold ${count}`;
  const created = await send('POST', '', { body: { name: 'Not gold', definition: { not: { audience: id } } } });
  const own = `/${String(created.body['id'])}`;

  const [list, one, versions, evaluated] = await Promise.all([
    send('GET', ''),
    send('GET', own),
    send('GET', `${own}/versions`),
    send('POST', `${own}/evaluate`),
  ]);

  const description = `not those who are in the audience "${name}"`;
  for (const { body } of [created, one, evaluated]) expect(body).toMatchObject({ description });
  expect(list.body['audiences']).toContainEqual(expect.objectContaining({ description }));
  expect(versions.body['versions']).toMatchObject([{ description }]);
});

test('a change with the ETag of another revision is 412 and changes nothing', async () => {
  const id = await saved();
  await send('PATCH', `/${id}`, { body: { name: `By somebody else ${id}` } });
  const stale = { match: '"1"', body: { name: 'Mine', definition: { trait: 'n', is: 1 } } };

  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const reply = await send(method, `/${id}`, stale);
    expect(reply, method).toMatchObject({
      status: 412,
      body: { type: 'urn:tidemark:problem:precondition-failed', code: 'precondition-failed' },
    });
  }

  expect(await send('GET', `/${id}`)).toMatchObject({ status: 200, body: { name: `By somebody else ${id}` } });
});

test('a change with the ETag of now, with *, or without If-Match is made', async () => {
  const id = await saved();

  expect(await send('PATCH', `/${id}`, { match: '"1"', body: { refresh: '1h' } })).toMatchObject({ etag: '"2"' });
  expect(await send('PATCH', `/${id}`, { match: '*', body: { refresh: '2h' } })).toMatchObject({ etag: '"3"' });
  expect(await send('PATCH', `/${id}`, { body: { refresh: '3h' } })).toMatchObject({ etag: '"4"' });
  expect(await send('DELETE', `/${id}`, { match: '"4"' })).toMatchObject({ status: 200 });
});

test('a change with the ETag of now among others is made, and one with others alone, or a weak one, is 412', async () => {
  const id = await saved();

  for (const match of ['W/"1"', '"x"', '"2", "3"', `"${'9'.repeat(16)}"`]) {
    expect(await send('PATCH', `/${id}`, { match, body: { refresh: '1h' } }), match).toMatchObject({ status: 412 });
  }
  expect(await send('PATCH', `/${id}`, { match: '"7", "1"', body: { refresh: '1h' } })).toMatchObject({ etag: '"2"' });
});

test.each(['1', '"1" "2"', '"1", *'])('an If-Match of %s is 400', async (match) => {
  const id = await saved();

  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const reply = await send(method, `/${id}`, { match, body: { refresh: null } });
    expect(reply, method).toMatchObject({ status: 400, body: { code: 'invalid-parameter' } });
    expect(reply.body['detail'], method).toMatch(/^If-Match /);
  }
});

test('a version names the key that it came with', async () => {
  const id = await saved();
  await send('PATCH', `/${id}`, { body: { definition: { trait: 'tier', is: 'iron' } } });

  const { body } = await send('GET', `/${id}/versions`);

  const key = expect.stringMatching(/^key_/);
  expect(body['versions']).toMatchObject([
    { version: 2, definition: { trait: 'tier', is: 'iron' }, changed_by: key },
    { version: 1, definition: { trait: 'tier', is: 'gold' }, changed_by: key },
  ]);
});

test('an audience has a note and tags, PUT without them takes them away, and a list may be of one tag', async () => {
  const definition = { trait: 'tier', is: 'gold' };
  const labels = { note: 'For the monthly letter.', tags: ['email', 'spring 27'] };
  const made = await send('POST', '', { body: { name: 'Labelled', definition, ...labels } });
  const path = `/${String(made.body['id'])}`;

  const renamed = await send('PATCH', path, { body: { name: 'Labelled anew' } });
  const listed = await send('GET', '?tag=spring%2027');
  const others = await send('GET', '?tag=spring');
  const replaced = await send('PUT', path, { body: { name: 'Bare', definition } });

  expect(made.body).toMatchObject(labels);
  expect(renamed.body).toMatchObject({ name: 'Labelled anew', ...labels });
  expect(listed.body['audiences']).toMatchObject([{ name: 'Labelled anew' }]);
  expect(others.body['audiences']).toEqual([]);
  expect(replaced.body).toMatchObject({ name: 'Bare', note: '', tags: [] });
  for (const tags of [['a,b'], [' '], ['a', 'a'], ['x'.repeat(51)], 'a', [7]])
    expect(await send('PATCH', path, { body: { tags } })).toMatchObject({
      status: 400,
      body: { code: 'invalid-body' },
    });
  expect((await send('PATCH', path, { body: { note: 'x'.repeat(1_001) } })).status).toBe(400);
});

test('a live audience is through to no instant while its changed definition has not been evaluated', async () => {
  const definition = { trait: 'tier', is: 'gold' };
  const made = await send('POST', '', { body: { name: 'Live', definition, refresh: 'live' } });
  const id = String(made.body['id']);
  const found = await server.saved.find(PROJECT.id, id);
  const evaluation = { at: 5n, version: 1, cause: 'live', members: 1, entered: 1, left: 0 } as const;
  await server.addAudience(id, { ...found, liveThrough: 20n, isFollowed: true, evaluation });

  const before = await send('GET', `/${id}`);
  const changed = await send('PATCH', `/${id}`, { body: { definition: { trait: 'tier', is: 'iron' } } });
  const after = await send('GET', `/${id}`);

  expect(before.body).toMatchObject({ live_through: formatMicros(20n) });
  expect([changed.body['live_through'], after.body['live_through']]).toEqual([null, null]);
});
