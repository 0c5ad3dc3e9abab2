/** The whole path on Kafka, a schema registry, Postgres and ClickHouse: in one process, and role by role. */
import { describe, expect, test } from 'vitest';
import { serverUrl } from '../servers/server.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { canRunOnServers, type OnServers, onServers } from '../support/service/server-settings.ts';
import { ADMIN_KEY, ServiceProcess } from '../support/service/service.ts';
import { type LimitedUser, roleOf } from '../support/stores/limited-users.ts';
import { deniedIn, sharedServersWithRights } from '../support/stores/servers-with-rights.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ServiceLoad } from '../faults/service-load.ts';

const canRun = await canRunOnServers();
const hasCluster = canRun && (await serverUrl('clickhouse-cluster')) !== undefined;

/** Posts, waits until it is readable, and reads back profile and audience. */
async function expectWholePath(ingest: ServiceProcess): Promise<void> {
  const batch = [
    { type: 'identify', user_id: 'ada', traits: { plan: 'pro', gone: 1 } },
    { type: 'identify', user_id: 'ada', traits: { gone: null } },
    { type: 'track', user_id: 'ada', event: 'Order Completed', properties: { total: 129.9 } },
    { type: 'track', user_id: 'bob', event: 'Order Completed', properties: { total: 5 } },
  ];
  await recordedIn(ingest, '/v1/batch', { batch });

  const profile = await ingest.request('/v1/users/ada');
  expect(await profile.json()).toMatchObject({ user_id: 'ada', traits: { plan: 'pro' } });
  const definition = {
    all: [
      { trait: 'plan', is: 'pro' },
      { event: 'Order Completed', within: { last: '30d' }, where: [{ property: 'total', gt: 100 }] },
    ],
  };
  const preview = await ingest.request('/v1/audiences/preview', { definition, sample: 10 });
  expect(await preview.json()).toMatchObject({ count: 1, sample: ['ada'] });
}

async function readiness(service: ServiceProcess): Promise<unknown> {
  return (await fetch(`${service.url}/readyz`)).json();
}

describe.skipIf(!canRun)('on servers', () => {
  const servers = sharedServersWithRights();

  test('one process does everything, as the owner of what it makes', { timeout: 240_000 }, async () => {
    const service = await ServiceProcess.start(await temporaryFolder(), servers().users.addressesOf('admin'));
    try {
      await expectWholePath(service);
      expect(await readiness(service)).toMatchObject({
        ready: true,
        parts: { eventLog: 'ready', profiles: 'ready', analytics: 'ready', projector: 'ready', sink: 'ready' },
      });
      expect(deniedIn(service)).toEqual([]);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  });

  // Skipped where no ClickHouse with replication is available: libchdb, which the tests start themselves, has no replication.
  test.skipIf(!hasCluster)('one process does everything on a cluster of replicas', { timeout: 240_000 }, async () => {
    const onCluster = (await onServers('clickhouse-cluster')) as OnServers;
    const service = await ServiceProcess.start(await temporaryFolder(), onCluster.settings);
    try {
      await expectWholePath(service);
    } finally {
      expect(await service.stop()).toBe(0);
      await onCluster.drop();
    }
  });

  test('every role has processes of its own, two of each, and one of each may go', { timeout: 180_000 }, async () => {
    const folder = await temporaryFolder();
    const { users, superuser } = servers();
    const start = (user: LimitedUser, more: Record<string, string> = {}): Promise<ServiceProcess> =>
      ServiceProcess.start(folder, { ...users.settingsOf(user), ...more }, roleOf(user));
    const starting = await Promise.allSettled([
      start('ingest', { INGEST_PROCESSES: '2' }),
      start('admin'),
      start('admin'),
      start('projector'),
      start('projector'),
      start('sink'),
      start('sink'),
    ]);
    // One that cannot start leaves the others to be stopped.
    const started = starting.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    try {
      const failed = starting.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      const [ingest, admin, otherAdmin, projector, , sink] = started as [
        ServiceProcess,
        ServiceProcess,
        ServiceProcess,
        ServiceProcess,
        ServiceProcess,
        ServiceProcess,
      ];
      await expectWholePath(ingest);
      expect(await readiness(admin)).toMatchObject({
        ready: true,
        parts: { ingest: 'ready', eventLog: 'ready' },
      });
      await expectOperated(admin, otherAdmin);
      expect(await readiness(projector)).toMatchObject({ ready: true, parts: { projector: 'ready' } });
      expect(await readiness(sink)).toMatchObject({ ready: true, parts: { sink: 'ready', analytics: 'ready' } });
      const metrics = await (await fetch(`${ingest.url}/metrics`)).text();
      expect(metrics).toMatch(/^tidemark_ingest_messages_accepted_total\{[^}]*topic="tidemark.track"[^}]*\} 2$/m);

      const posts = await ServiceLoad.start({
        environment: superuser,
        doors: () => [ingest, admin],
      });
      expect(await projector.stop()).toBe(0);
      expect(await sink.stop()).toBe(0);
      expect(await otherAdmin.stop()).toBe(0);
      await posts.passedSince(performance.now());
      await posts.stop();
      expect(await posts.wrongIn(superuser)).toEqual({});
      expect(started.flatMap(deniedIn)).toEqual([]);
    } finally {
      expect(await Promise.all(started.map((service) => service.stop()))).toEqual([0, 0, 0, 0, 0, 0, 0]);
    }
  });
});

/** A job that one process runs is followed and listed by the other. */
async function expectOperated(one: ServiceProcess, other: ServiceProcess): Promise<void> {
  const headers = { api_key: ADMIN_KEY, 'content-type': 'application/json' };
  const started = await fetch(`${one.url}/v1/admin/verifications`, {
    method: 'POST',
    headers,
    body: '{"since":"all"}',
  });
  expect(started.status).toBe(202);

  const path = started.headers.get('location') ?? '';
  const job = (await (await fetch(`${other.url}${path}?wait=30`, { headers })).json()) as object;

  expect(job).toMatchObject({ kind: 'verify', state: 'done', result: { equal: true }, problem: null });
  const projects = (await (await fetch(`${other.url}/v1/admin/projects`, { headers })).json()) as object;
  expect(projects).toMatchObject({ projects: [{ name: expect.any(String) as string }] });
}
