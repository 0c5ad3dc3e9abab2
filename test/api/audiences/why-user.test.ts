import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

const DEFINITION = { trait: 'tier', is: 'gold' };
const ANYBODY = 'a'.repeat(64);
let server: ReadingServer;
let path = '';
/** The parameters of the questions that analytics was asked. */
let asked: unknown[] = [];

beforeAll(async () => {
  server = await ReadingServer.start();
  path = `/v1/audiences/${(await server.addAudience('aud_00000000000000000001')).id}/why`;
  server.analytics.answer = ({ params }) => {
    asked.push(params);
    return { rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 };
  };
});
afterAll(() => server.stop());

/** Analytics knows a user by the first half of the id. */
function numberOf(internalId: string): bigint {
  return BigInt(`0x${internalId.slice(0, 32)}`);
}

test.each([
  ['user_id', 'ada', userKeyOf(PROJECT.id, 'ada')],
  ['anonymous_id', 'cookie', anonymousKeyOf(PROJECT.id, 'cookie')],
  ['internal_id', ANYBODY, ANYBODY],
])('why is asked about the user whom %s names, of a definition and of a saved audience', async (name, id, key) => {
  asked = [];

  const saved = await server.request(`${path}?${name}=${id}`);
  const body = JSON.stringify({ definition: DEFINITION, [name]: id });
  const given = await server.request('/v1/audiences/why', { method: 'POST', body });

  expect([saved.status, given.status]).toEqual([404, 404]);
  expect(asked.length).toBeGreaterThan(1);
  for (const params of asked) expect(JSON.stringify(params)).toContain(`"${numberOf(key)}"`);
});

test.each([
  [{}, '/user_id'],
  [{ user_id: 'ada', anonymous_id: 'cookie' }, '/anonymous_id'],
  [{ anonymous_id: 'cookie', internal_id: ANYBODY }, '/internal_id'],
  [{ anonymous_id: '' }, '/anonymous_id'],
  [{ anonymous_id: 'x'.repeat(513) }, '/anonymous_id'],
  [{ internal_id: 'A' }, '/internal_id'],
])('why refuses a user named by %o, and says what is wrong', async (user, pointer) => {
  const query = new URLSearchParams(user as Record<string, string>).toString();
  const saved = await server.request(`${path}?${query}`);
  const body = JSON.stringify({ definition: DEFINITION, ...user });
  const given = await server.request('/v1/audiences/why', { method: 'POST', body });

  expect([saved.status, given.status]).toEqual([400, 400]);
  expect(await given.json()).toMatchObject({ code: 'invalid-body', errors: [{ path: pointer }] });
  expect(((await saved.json()) as { detail: string }).detail).toContain(pointer.slice(1));
});
