import { expect, test } from 'vitest';
import { ADMIN_KEY, READ_KEY, type ServiceProcess, WRITE_KEY } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';

const PATIENCE = { timeout: 60_000, interval: 200 };
const MARK = 'mark-5e19';

interface Erasure {
  readonly id: string;
  readonly state: string;
}

test(
  'a person whom the service is asked to forget is 404, in no list, count and audience, and does not come back',
  { timeout: 180_000 },
  async () => {
    const service = await startedService();
    const get = async (path: string) => service.request(path, undefined, { api_key: READ_KEY });
    const textOf = async (path: string) => (await get(path)).text();
    const ask = async (path: string, body: object) => (await service.request(path, body, { api_key: READ_KEY })).text();
    const project = await projectOf(service);
    for (const user of ['ada', 'ben']) await send(service, user);
    const never = { name: 'Never returned', definition: { not: { event: 'Returned' } }, refresh: 'live' };
    const audience = JSON.parse(await ask('/v1/audiences', never)) as { readonly id: string };
    const membersOf = () => textOf(`/v1/audiences/${audience.id}/members`);
    await expect.poll(membersOf, PATIENCE).toContain('"ada"');
    const message = JSON.parse(await textOf('/v1/users/ada/events')) as {
      readonly events: readonly { readonly message_id: string }[];
    };
    const reads = ['', '/events', '/activity', '/timeline', '/audiences', '/export'].map(
      (path) => `/v1/users/ada${path}`,
    );
    reads.push(`/v1/messages/${message.events[0]?.message_id}`);
    for (const path of reads) expect((await get(path)).status, path).toBe(200);

    const catalog = async () => {
      const paths = ['/catalog/traits', '/catalog/events', '/catalog/events/Bought/properties', '/summary'];
      return (await Promise.all(paths.map((path) => textOf(`/v1${path}`)))).join();
    };
    expect(await catalog()).toMatch(/of ada.*ada's only.*ada-value.*ada's only/su);

    const forgotten = await fetch(`${service.url}/v1/users/ada?project=${project}`, {
      method: 'DELETE',
      headers: { api_key: ADMIN_KEY },
    });

    expect(forgotten.status).toBe(202);
    const { erasures } = (await forgotten.json()) as { readonly erasures: readonly Erasure[] };
    expect(erasures).toMatchObject([{ state: 'pending', suppress: true }]);
    for (const path of reads) expect((await get(path)).status, path).toBe(404);
    expect(await textOf('/v1/users?search=ada')).not.toContain('"ada"');
    expect(await ask('/v1/users/query', {})).not.toContain('"ada"');
    expect(await catalog()).not.toContain('ada');
    expect(JSON.parse(await ask('/v1/audiences/preview', { definition: { event: 'Bought' } }))).toMatchObject({
      count: 1,
    });
    expect(await membersOf()).not.toContain('"ada"');
    await send(service, 'ada');
    await send(service, 'zoe');
    await expect.poll(membersOf, PATIENCE).toContain('"zoe"');
    expect(await membersOf()).not.toContain('"ada"');
    const changesOf = () => textOf(`/v1/audiences/${audience.id}/changes`);
    await expect.poll(changesOf, PATIENCE).toContain('"zoe"');
    expect(await changesOf()).not.toMatch(/"ada"|"left"/);
    const live = await textOf('/v1/events/live?seconds=1&recent=50');
    expect(live).toContain('"zoe"');
    expect(live).not.toContain('"ada"');
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^tidemark_erasures_oldest_seconds \d/mu);
    const jobs = await service.request('/v1/admin/jobs', undefined, { api_key: ADMIN_KEY });
    expect(await jobs.text()).toContain('"kind":"users erase"');
    const audit = await service.request('/v1/admin/audit', undefined, { api_key: ADMIN_KEY });
    expect(await audit.text()).toContain(`"action":"user.forget","project":"${project}","object":"${erasures[0]?.id}"`);
  },
);

async function projectOf(service: ServiceProcess): Promise<string> {
  const admin = { key: ADMIN_KEY };
  const { projects } = await service.ask<{ projects: readonly { id: string }[] }>(
    '/v1/admin/projects',
    undefined,
    admin,
  );
  return projects[0]?.id ?? '';
}

/** Resolves once both can be read, or the answer says that they never will. */
async function send(service: ServiceProcess, user: string): Promise<void> {
  const headers = { api_key: WRITE_KEY };
  const traits = { [`trait ${MARK} of ${user}`]: `${user}@example.com`, email: `${user}@example.com` };
  const batch = [
    { type: 'identify', user_id: user, traits },
    { type: 'track', user_id: user, event: 'Bought', properties: { note: MARK, own: `${user}-value` } },
    { type: 'track', user_id: user, event: `${user}'s only` },
  ];
  const answer = await service.request('/v1/batch', { batch }, headers);
  const { receipt } = (await answer.json()) as { readonly receipt: string };
  const seen = await service.request(`/v1/receipts/${receipt}?wait=30`, undefined, { api_key: READ_KEY });
  expect(await seen.json()).toMatchObject({ queryable: true });
}
