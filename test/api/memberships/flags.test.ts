/** Whether a user is in an audience now, asked by HTTP and by the public provider of OpenFeature's protocol. */
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { afterAll, expect, test } from 'vitest';
import { find, save, track, WITHIN_A_MINUTE } from '../../support/live/live-requests.ts';
import { ADMIN_KEY, WRITE_KEY } from '../../support/service/service.ts';
import { sharedService } from '../../support/service/shared-service.ts';

const service = sharedService();
const ORDERED = { event: 'Order Completed', within: { last: '30d' } };

interface Membership {
  readonly id: string;
  readonly name: string;
  readonly is_live: boolean;
  readonly evaluated_at: string | null;
  readonly is_member: boolean | null;
}

afterAll(() => OpenFeature.close());

/** A key of the scope `flags` of the first project. */
async function flagsKey(): Promise<string> {
  const admin = { key: ADMIN_KEY };
  const { projects } = await service().ask<{ projects: readonly { id: string }[] }>(
    '/v1/admin/projects',
    undefined,
    admin,
  );
  const body = { name: 'Shop window', scopes: ['flags'] };
  const path = `/v1/admin/projects/${projects[0]?.id ?? ''}/keys`;
  return (await service().ask<{ key: string }>(path, body, admin)).key;
}

function memberships(user: string, names: string): Promise<{ memberships: readonly Membership[] }> {
  return service().ask(`/v1/users/${user}/memberships?audiences=${encodeURIComponent(names)}`);
}

async function liveAudience(name: string, definition: object): Promise<string> {
  const { id } = await save(service(), { name, definition, refresh: 'live' });
  await expect.poll(() => find(service(), id), WITHIN_A_MINUTE).toMatchObject({ live_through: expect.any(String) });
  return id;
}

/** The public provider, with a key of the scope `flags`. */
async function openFeatureClient() {
  const headers: [string, string][] = [['authorization', `Bearer ${await flagsKey()}`]];
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: service().url, headers }));
  return OpenFeature.getClient();
}

test('the public provider says who is in a live audience, as why does', { timeout: 240_000 }, async () => {
  const id = await liveAudience('Buyers', ORDERED);
  const client = await openFeatureClient();
  const isBuyer = (targetingKey: string, flag = 'Buyers') => client.getBooleanDetails(flag, false, { targetingKey });
  expect(await isBuyer('ada')).toMatchObject({ value: false, reason: 'DEFAULT', variant: 'out' });

  const old = new Date(Date.now() - 40 * 24 * 3_600_000).toISOString();
  await track(service(), 'ada', 'Order Completed');
  const earlier = { user_id: 'bob', event: 'Order Completed', timestamp: old };
  await service().ask('/v1/track', earlier, { key: WRITE_KEY });

  await expect
    .poll(() => isBuyer('ada'), WITHIN_A_MINUTE)
    .toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
      variant: 'in',
      flagMetadata: { audience_id: id, is_live: true },
    });
  expect(await isBuyer('ada', id)).toMatchObject({ value: true });
  for (const user of ['bob', 'nobody']) expect(await isBuyer(user)).toMatchObject({ value: false });
  for (const user of ['ada', 'bob']) {
    const { is_member: isMember } = await service().ask<{ is_member: boolean }>(
      `/v1/audiences/${id}/why?user_id=${user}`,
    );
    expect((await isBuyer(user)).value, user).toBe(isMember);
  }
  expect(await isBuyer('ada', 'Byers')).toMatchObject({ value: false, errorCode: 'FLAG_NOT_FOUND' });
  expect(await client.getBooleanDetails('Buyers', true, {})).toMatchObject({
    value: true,
    errorCode: 'TARGETING_KEY_MISSING',
  });
});

test('the public provider says true until the instant at which the window ends, and false then', async () => {
  await liveAudience('Here now', { event: 'Was Here', within: { last: '1h' } });
  const client = await openFeatureClient();
  const isHere = () => client.getBooleanValue('Here now', false, { targetingKey: 'eve' });
  const endsAt = Date.now() + 20_000;
  const timestamp = new Date(endsAt - 3_600_000).toISOString();
  await service().ask('/v1/track', { user_id: 'eve', event: 'Was Here', timestamp }, { key: WRITE_KEY });
  await expect.poll(isHere, WITHIN_A_MINUTE).toBe(true);

  await expect.poll(isHere, { timeout: 60_000, interval: 10 }).toBe(false);

  expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
});

test('an anonymous id that is joined to a user is in what the user is in', async () => {
  await liveAudience('Readers', { event: 'Article Read' });
  const client = await openFeatureClient();
  const both = { user_id: 'dora', anonymousId: 'cookie of dora', traits: {} };
  await service().ask('/v1/identify', both, { key: WRITE_KEY });
  await track(service(), 'dora', 'Article Read');
  const reads = (targetingKey: string) =>
    client.getBooleanValue('Readers', false, { targetingKey, by: 'anonymous_id' });

  await expect.poll(() => reads('cookie of dora'), WITHIN_A_MINUTE).toBe(true);

  expect(await reads('another cookie')).toBe(false);
});

test(
  'memberships say what a last evaluation found and when, and null where there was none',
  { timeout: 120_000 },
  async () => {
    await track(service(), 'carl', 'Order Completed');
    const by = await save(service(), { name: 'By hand, sometimes', definition: ORDERED });
    expect(await memberships('carl', by.id)).toEqual({
      memberships: [{ id: by.id, name: 'By hand, sometimes', is_live: false, evaluated_at: null, is_member: null }],
    });

    await expect
      .poll(async () => {
        await service().ask(`/v1/audiences/${by.id}/evaluate`, {});
        return memberships('carl', by.id);
      }, WITHIN_A_MINUTE)
      .toMatchObject({ memberships: [{ evaluated_at: expect.stringMatching(/Z$/), is_member: true }] });
    await expect(memberships('carl', 'Nothing')).rejects.toThrow(/404/);
  },
);

test('a key of the scope flags opens these, and a page may use no other', { timeout: 120_000 }, async () => {
  await save(service(), { name: 'Everybody', definition: { event: 'Order Completed' } });
  const key = await flagsKey();
  const { url } = service();
  const body = JSON.stringify({ context: { targetingKey: 'ada' } });
  const all = (headers: Record<string, string>) =>
    fetch(`${url}/ofrep/v1/evaluate/flags`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const names = async (answer: Response) =>
    ((await answer.json()) as { flags: readonly { key: string }[] }).flags.map((flag) => flag.key);
  await expect.poll(async () => names(await all({ 'x-api-key': key })), WITHIN_A_MINUTE).toContain('Everybody');
  const etag = (await all({ 'x-api-key': key })).headers.get('etag') ?? '';

  expect((await all({ 'x-api-key': key, 'if-none-match': etag })).status).toBe(304);
  expect((await fetch(`${url}/v1/users/ada`, { headers: { 'x-api-key': key } })).status).toBe(401);
  expect((await all({ 'x-api-key': key, origin: 'https://elsewhere.example' })).status).toBe(403);
});
