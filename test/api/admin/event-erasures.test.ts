/** Events that are erased by a condition, from the look at them to audiences, catalogue and certificate. */
import { expect, test } from 'vitest';
import { changesSince, find, named, save, WITHIN_A_MINUTE } from '../../support/live/live-requests.ts';
import { ADMIN_KEY, READ_KEY, WRITE_KEY } from '../../support/service/service.ts';
import { sharedService } from '../../support/service/shared-service.ts';

const service = sharedService();
const ADMIN = { api_key: ADMIN_KEY };
const SECRET = 'SECRET-of-the-flow';
const WITH_SECRET = { name: 'Bought', where: [{ property: 'note', is: SECRET }] };

interface Answered {
  readonly count: number;
  readonly examples: readonly { readonly user_id: string; readonly properties: object }[];
}

test(
  'events are erased once their number is given back, and whoever was in a live audience by them alone leaves it',
  { timeout: 240_000 },
  async () => {
    const project = await projectOf();
    const erase = async (asked: object, headers: object = {}) => {
      const body = { project, ...asked };
      const answer = await service().request('/v1/admin/event-erasures', body, { ...ADMIN, ...headers });
      return { status: answer.status, body: (await answer.json()) as Answered & Record<string, unknown> };
    };
    const live = await save(service(), { name: 'Bought', definition: { event: 'Bought' }, refresh: 'live' });
    await expect
      .poll(() => find(service(), live.id), WITHIN_A_MINUTE)
      .toMatchObject({ live_through: expect.any(String) });
    await post('ada', SECRET, 'ada-1');
    await post('ben', SECRET, 'ben-1');
    await post('ben', 'fine', 'ben-2');
    await seen();
    const members = async () => named(await changesSince(service(), live.id, undefined, 0));
    await expect.poll(members, WITHIN_A_MINUTE).toEqual(expect.arrayContaining(['ada entered', 'ben entered']));
    expect(await textOf('/v1/catalog/events/Bought/properties')).toContain(SECRET);

    const looked = await erase(WITH_SECRET, { 'idempotency-key': 'looked-at' });

    expect(looked).toMatchObject({ status: 200, body: { count: 2 } });
    expect(looked.body.examples.map(({ user_id: user }) => user).toSorted()).toEqual(['ada', 'ben']);
    expect(looked.body.examples[0]?.properties).toEqual({ note: SECRET });
    // Kept, it would have the secret.
    expect(await erase(WITH_SECRET, { 'idempotency-key': 'looked-at' })).toMatchObject({ status: 409 });
    expect(await erase({ ...WITH_SECRET, count: 3 })).toMatchObject({
      status: 409,
      body: { error_code: 'EVENTS_DIFFER', detail: expect.stringContaining('is 2 now, not 3') },
    });
    expect(await erase({ count: 3 })).toMatchObject({ status: 400 });
    expect(await erase({ ...WITH_SECRET, project: 'proj_other' })).toMatchObject({ status: 404 });
    expect(await countOf()).toBe(3);

    const erased = await erase({ ...WITH_SECRET, count: 2 });

    expect(erased).toMatchObject({
      status: 202,
      body: { state: 'pending', internal_id: null, events: { name: ['Bought'], properties: ['note'], count: 2 } },
    });
    expect(await countOf()).toBe(1);
    expect(await textOf('/v1/catalog/events/Bought/properties')).not.toContain(SECRET);
    expect(await textOf('/v1/users/ada/timeline')).not.toContain(SECRET);
    // Readers of the log know within two seconds.
    const stream = () => textOf('/v1/events/live?seconds=1&recent=50');
    await expect.poll(stream, WITHIN_A_MINUTE).not.toContain(SECRET);
    expect(await textOf('/v1/users/ada')).toContain('"user_id":"ada"');
    await expect.poll(members, WITHIN_A_MINUTE).toContain('ada left');
    expect(await members()).not.toContain('ben left');
    expect(await erase(WITH_SECRET)).toMatchObject({ status: 200, body: { count: 0, examples: [] } });
    await post('ada', SECRET, 'ada-1');
    await post('ada', SECRET, 'ada-2');
    await seen();
    expect(await countOf()).toBe(2);
    const path = `/v1/admin/erasures/${String(erased.body['id'])}`;
    const one = await (await service().request(path, undefined, ADMIN)).text();
    expect((await service().request(`${path}/lift`, {}, ADMIN)).status).toBe(404);
    const audit = await (await service().request('/v1/admin/audit', undefined, ADMIN)).text();
    expect(audit).toContain('"action":"events.erase"');
    expect(one + audit).not.toContain(SECRET);
  },
);

async function projectOf(): Promise<string> {
  const asAdmin = { key: ADMIN_KEY };
  const { projects } = await service().ask<{ projects: { id: string }[] }>('/v1/admin/projects', undefined, asAdmin);
  return projects[0]?.id ?? '';
}

async function post(user: string, note: string, messageId: string): Promise<void> {
  const body = { userId: user, messageId, event: 'Bought', properties: { note } };
  await service().ask('/v1/track', body, { key: WRITE_KEY });
}

/** Waits until everything that was posted is in every answer. */
async function seen(): Promise<void> {
  const body = { user_id: 'whoever', event: 'Last' };
  const { receipt } = await service().ask<{ receipt: string }>('/v1/track', body, { key: WRITE_KEY });
  await expect
    .poll(() => service().ask(`/v1/receipts/${receipt}?wait=30`), WITHIN_A_MINUTE)
    .toMatchObject({ projected: true, queryable: true });
}

async function textOf(path: string): Promise<string> {
  return (await service().request(path, undefined, { api_key: READ_KEY })).text();
}

async function countOf(): Promise<number> {
  const { series } = await service().ask<{ series: { values: number[] }[] }>('/v1/events/counts', {
    measure: 'count',
    event: 'Bought',
  });
  return series[0]?.values[0] ?? 0;
}
