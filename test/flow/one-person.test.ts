/** What somebody did before they signed in, from the post to audiences, timeline and forgetting. */
import { expect, test } from 'vitest';
import { changesSince, find, named, save, WITHIN_A_MINUTE } from '../support/live/live-requests.ts';
import { ADMIN_KEY, WRITE_KEY } from '../support/service/service.ts';
import { sharedService } from '../support/service/shared-service.ts';

const service = sharedService();
const HOME = { event: 'Home' };

interface Profile {
  readonly internal_id: string;
  readonly first_seen: string;
  readonly traits: Readonly<Record<string, unknown>>;
  readonly joined_ids?: readonly { readonly anonymous_id: string; readonly message_id: string | null }[];
}

test(
  'an anonymous id that was seen with one user alone counts as that user, until it is seen with another or told apart',
  { timeout: 240_000 },
  async () => {
    const project = await joinIds(true);
    const live = await save(service(), { name: 'Saw home', definition: HOME, refresh: 'live' });
    await expect
      .poll(() => find(service(), live.id), WITHIN_A_MINUTE)
      .toMatchObject({ live_through: expect.any(String) });
    await post('track', { anonymousId: 'dev-9', messageId: 'home-1', ...HOME, timestamp: '2026-01-01T00:00:00Z' });
    await post('identify', { anonymousId: 'dev-9', traits: { plan: 'free', source: 'ad' } });
    await seen();
    expect(await finds(HOME)).toEqual([]);

    const identified = { userId: 'ada', anonymousId: 'dev-9', messageId: 'signed-in', traits: { plan: 'pro' } };
    await post('identify', identified);
    await seen();

    const ada = await user('ada');
    expect(ada).toMatchObject({
      first_seen: '2026-01-01T00:00:00.000000Z',
      traits: { plan: 'pro', source: 'ad' },
      joined_ids: [{ anonymous_id: 'dev-9', message_id: 'signed-in' }],
    });
    expect(await user('dev-9', 'anonymous_id')).toEqual(ada);
    // Processes follow the settings of a project within ten seconds.
    await expect.poll(() => finds(HOME), WITHIN_A_MINUTE).toEqual(['ada']);
    expect(await finds({ all: [HOME, { trait: 'plan', is: 'pro' }] })).toEqual(['ada']);
    expect(await finds({ trait: 'plan', is: 'free' })).toEqual([]);
    expect(await eventsOf('ada')).toEqual(['Home']);
    expect(await service().ask('/v1/messages/home-1')).toMatchObject({
      messages: [{ user_id: null, anonymous_id: 'dev-9' }],
    });
    const { why } = await service().ask<{ why: { events: object[] } }>('/v1/audiences/why', {
      definition: HOME,
      user_id: 'ada',
    });
    expect(why).toMatchObject({ events: [{ message_id: 'home-1', joined_id: 'dev-9' }], last: { joined_id: 'dev-9' } });
    expect((await explained(HOME)).reads).toContainEqual(expect.objectContaining({ table: 'track_rows' }));
    const joinedSince = async () => named(await changesSince(service(), live.id, undefined, 0));
    await expect.poll(joinedSince, WITHIN_A_MINUTE).toEqual(expect.arrayContaining(['ada entered', 'null left']));
    const joined = { cause: 'joined', person: ada.internal_id };
    expect(await joinChanges(live.id)).toEqual([
      expect.objectContaining({ user_id: 'ada', change: 'entered', ...joined }),
      expect.objectContaining({ anonymous_id: 'dev-9', change: 'left', ...joined }),
    ]);

    await post('identify', { userId: 'bob', anonymousId: 'dev-9', traits: {} });
    await seen();
    expect((await user('ada')).joined_ids).toEqual([]);
    expect(await finds(HOME)).toEqual([]);
    expect(await joinOf(project, 'dev-9')).toMatchObject({ state: 'shared', users: 2, user: null });
    await expect.poll(joinedSince, WITHIN_A_MINUTE).toEqual(expect.arrayContaining(['ada left', 'null entered']));
    const parted = { cause: 'parted', person: ada.internal_id };
    expect((await joinChanges(live.id)).slice(2)).toEqual([
      expect.objectContaining({ anonymous_id: 'dev-9', change: 'entered', ...parted }),
      expect.objectContaining({ user_id: 'ada', change: 'left', ...parted }),
    ]);

    await decide(project, 'dev-9', { says: 'join', user_id: 'bob' });
    expect((await user('bob')).joined_ids).toMatchObject([{ anonymous_id: 'dev-9' }]);
    await expect.poll(() => finds(HOME), WITHIN_A_MINUTE).toEqual(['bob']);
    await decide(project, 'dev-9', { says: 'rule' });
    await expect.poll(() => finds(HOME), WITHIN_A_MINUTE).toEqual([]);

    await forget(project, 'bob');
    expect(await joinOf(project, 'dev-9')).toMatchObject({ state: 'apart', decision: { decided_by: 'forgetting' } });
    expect((await user('ada')).joined_ids).toEqual([]);
    expect(await finds(HOME)).toEqual([]);

    await joinIds(false);
    expect((await user('ada')).joined_ids).toBeUndefined();
    await expect.poll(() => service().ask('/v1/users/query', {}), WITHIN_A_MINUTE).toMatchObject({ total: 3 });
  },
);

/** Changes because it has changed whose an id is: at one instant whoever enters comes first. */
async function joinChanges(audience: string): Promise<readonly object[]> {
  const lines = await changesSince(service(), audience, undefined, 0);
  const order = ({ at = '', change = '' }: (typeof lines)[number]): string => `${at} ${change}`;
  return lines
    .filter(({ cause }) => cause === 'joined' || cause === 'parted')
    .toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
}

async function joinIds(join_ids: boolean): Promise<string> {
  const asAdmin = { key: ADMIN_KEY };
  const { projects } = await service().ask<{ projects: { id: string }[] }>('/v1/admin/projects', undefined, asAdmin);
  const id = projects[0]?.id ?? '';
  await service().ask(`/v1/admin/projects/${id}`, { join_ids }, { ...asAdmin, method: 'PATCH' });
  return id;
}

async function post(what: 'track' | 'identify', body: object): Promise<void> {
  await service().ask(`/v1/${what}`, body, { key: WRITE_KEY });
}

/** Waits until everything that was posted is in every answer. */
async function seen(): Promise<void> {
  const { receipt } = await service().ask<{ receipt: string }>(
    '/v1/track',
    { user_id: 'whoever', event: 'Last' },
    { key: WRITE_KEY },
  );
  await expect
    .poll(() => service().ask(`/v1/receipts/${receipt}?wait=30`), WITHIN_A_MINUTE)
    .toMatchObject({ projected: true, queryable: true });
}

function user(id: string, by = 'user_id'): Promise<Profile> {
  return service().ask<Profile>(`/v1/users/${id}?by=${by}`);
}

/** The user ids of those whom a preview finds. */
async function finds(definition: object): Promise<readonly string[]> {
  return (await service().ask<{ sample: string[] }>('/v1/audiences/preview', { definition })).sample;
}

/** What a question would read. */
function explained(definition: object): Promise<{ readonly reads: readonly object[] }> {
  return service().ask('/v1/audiences/explain', { definition });
}

async function eventsOf(id: string): Promise<readonly string[]> {
  const { events } = await service().ask<{ events: { event: string }[] }>(`/v1/users/${id}/events`);
  return events.map(({ event }) => event);
}

function joinOf(project: string, id: string): Promise<object> {
  return service().ask(`/v1/admin/projects/${project}/joins/${id}`, undefined, { key: ADMIN_KEY });
}

async function decide(project: string, id: string, decision: object): Promise<void> {
  const path = `/v1/admin/projects/${project}/joins/${id}`;
  await service().ask(path, decision, { key: ADMIN_KEY, method: 'PUT' });
}

async function forget(project: string, id: string): Promise<void> {
  const path = `/v1/users/${id}?project=${project}`;
  await service().ask(path, undefined, { key: ADMIN_KEY, method: 'DELETE' });
}
