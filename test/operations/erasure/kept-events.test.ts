/** Events that a project no longer keeps, from the setting to every answer. */
import { expect, test } from 'vitest';
import { changesSince, find, named, save, WITHIN_A_MINUTE } from '../../support/live/live-requests.ts';
import { recordedIn } from '../../support/service/readers-passed.ts';
import { ADMIN_KEY } from '../../support/service/service.ts';
import { sharedService } from '../../support/service/shared-service.ts';

const service = sharedService();
const WITH_ADMIN_KEY = { key: ADMIN_KEY };
const BOUGHT = { event: 'Bought' };

test(
  'the events of years ago go where a project keeps some months, and live audiences, previews and lists follow',
  { timeout: 240_000 },
  async () => {
    const { projects } = await service().ask<{ projects: [{ id: string }] }>(
      '/v1/admin/projects',
      undefined,
      WITH_ADMIN_KEY,
    );
    const project = `/v1/admin/projects/${projects[0].id}`;
    const ever = await save(service(), { name: 'Bought ever', definition: BOUGHT, refresh: 'live' });
    const lately = await save(service(), { name: 'Lately', definition: { ...BOUGHT, within: { last: '30d' } } });
    await recordedIn(service(), '/v1/track', { user_id: 'old', ...BOUGHT, timestamp: '2021-01-01T00:00:00Z' });
    await recordedIn(service(), '/v1/track', { user_id: 'new', ...BOUGHT });
    await expect
      .poll(async () => named(await changesSince(service(), ever.id, undefined, 0)).toSorted(), WITHIN_A_MINUTE)
      .toEqual(['new entered', 'old entered']);

    expect(await service().ask(`${project}/old-events?keep_events=12mo`, undefined, WITH_ADMIN_KEY)).toMatchObject({
      events: 1,
      users: 1,
      audiences: [{ id: ever.id, name: 'Bought ever' }],
    });
    expect(await find(service(), ever.id)).not.toHaveProperty('warnings');
    await keep(project, '12mo');

    await expect.poll(() => eventsOf('old'), WITHIN_A_MINUTE).toEqual([]);
    expect(await eventsOf('new')).toHaveLength(1);
    expect(await service().ask('/v1/users/old')).toMatchObject({ first_seen: '2021-01-01T00:00:00.000000Z' });
    await expect
      .poll(async () => named(await changesSince(service(), ever.id, undefined, 0)).toSorted(), WITHIN_A_MINUTE)
      .toEqual(['new entered', 'old entered', 'old left']);
    const changes = await changesSince(service(), ever.id, undefined, 0);
    expect(changes.find(({ change }) => change === 'left')).toMatchObject({ user_id: 'old', cause: 'refresh' });
    const beyond = { pointer: '/definition', message: expect.stringContaining('looks further back than') };
    expect(await find(service(), ever.id)).toMatchObject({ warnings: [beyond] });
    expect(await find(service(), lately.id)).not.toHaveProperty('warnings');
    const preview = await service().ask('/v1/audiences/preview', { definition: BOUGHT });
    expect(preview).toMatchObject({ count: 1, warnings: [beyond] });
    await expect.poll(due, WITHIN_A_MINUTE).toBe('0');
    const jobs = await service().ask<{ jobs: object[] }>(
      '/v1/admin/jobs?kind=events%20delete',
      undefined,
      WITH_ADMIN_KEY,
    );
    expect(jobs).toMatchObject({ jobs: [{ state: 'done', result: { events: 1 } }] });
  },
);

async function keep(project: string, months: string): Promise<void> {
  const changed = await service().ask(project, { keep_events: months }, { ...WITH_ADMIN_KEY, method: 'PATCH' });
  expect(changed).toMatchObject({ keep_events: months, events_from: null });
}

async function eventsOf(user: string): Promise<readonly object[]> {
  return (await service().ask<{ events: object[] }>(`/v1/users/${user}/events`)).events;
}

async function due(): Promise<string | undefined> {
  const text = await (await service().request('/metrics')).text();
  return /^tidemark_old_events_due_projects (\d+)$/m.exec(text)?.[1];
}
