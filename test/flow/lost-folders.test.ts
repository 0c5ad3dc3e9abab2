import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { recordedIn } from '../support/service/readers-passed.ts';
import { ADMIN_KEY, type ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A service starts several times, which takes a minute each on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const IDENTIFY = { user_id: 'ada', traits: { plan: 'pro' } };
const RECOVER = { RECOVER_PROJECTS: 'on' };
const AS_ADMIN = { key: ADMIN_KEY };

/** Why a start ended. */
async function failureOf(dataDir: string, settings: Record<string, string> = {}): Promise<string> {
  const started = startedService(dataDir, settings).then((service) => service.stop().then(() => 'it started'));
  return started.catch((error: unknown) => String(error));
}

interface ProjectAnswer {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
}

async function projectsOf(service: ServiceProcess): Promise<readonly ProjectAnswer[]> {
  return (await service.ask<{ projects: readonly ProjectAnswer[] }>('/v1/admin/projects', undefined, AS_ADMIN))
    .projects;
}

test('a start whose profiles folder was lost stops with a code, and RECOVER_PROJECTS opens the log again', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  const before = await startedService(dataDir);
  const [project] = (await projectsOf(before)) as [ProjectAnswer];
  const renamed = { name: 'Shop', timezone: 'Asia/Tokyo' };
  await before.ask(`/v1/admin/projects/${project.id}`, renamed, { ...AS_ADMIN, method: 'PATCH' });
  await recordedIn(before, '/v1/identify', IDENTIFY);
  await before.stop();
  await rm(join(dataDir, 'profiles'), { recursive: true });

  const failure = await failureOf(dataDir);
  const after = await startedService(dataDir, RECOVER);

  expect(failure).toContain('"code":"PROJECTS_LOST"');
  expect(failure).toContain('RECOVER_PROJECTS');
  expect(await projectsOf(after)).toMatchObject([{ id: project.id, name: 'Shop', timezone: 'Asia/Tokyo' }]);
  await recordedIn(after, '/v1/identify', { ...IDENTIFY, traits: { seats: 3 } });
  expect(await (await after.request('/v1/users/ada')).json()).toMatchObject({ traits: { plan: 'pro', seats: 3 } });
});

test('where an older profiles folder is restored, projects deleted since stay deleted, and those made since are there', async () => {
  const root = await temporaryFolder();
  const [dataDir, backup] = [join(root, 'data'), join(root, 'backup')];
  const first = await startedService(dataDir);
  const gone = await first.ask<ProjectAnswer>('/v1/admin/projects', { name: 'Gone', timezone: 'UTC' }, AS_ADMIN);
  await recordedIn(first, '/v1/identify', IDENTIFY);
  await first.stop();
  await cp(join(dataDir, 'profiles'), backup, { recursive: true });
  const second = await startedService(dataDir);
  await second.ask(`/v1/admin/projects/${gone.id}?confirm=Gone`, undefined, { ...AS_ADMIN, method: 'DELETE' });
  expect((await projectsOf(second)).map(({ name }) => name)).toEqual(['default']);
  const later = await second.ask<ProjectAnswer>('/v1/admin/projects', { name: 'Later', timezone: 'UTC' }, AS_ADMIN);
  await recordedIn(second, '/v1/identify', IDENTIFY);
  await second.stop();
  await rm(join(dataDir, 'profiles'), { recursive: true });
  await cp(backup, join(dataDir, 'profiles'), { recursive: true });

  const restored = await projectsOf(await startedService(dataDir));

  expect(restored.map(({ name }) => name)).toEqual(['Later', 'default']);
  expect(restored.map(({ id }) => id)).toContain(later.id);
});

test('a start on an event log of version 0.2 names the version to start once, and leaves the log as it is', async () => {
  const dataDir = await temporaryFolder();
  await mkdir(join(dataDir, 'event-log'));
  await writeFile(join(dataDir, 'event-log', 'data.mdb'), 'years of work');

  const failure = await failureOf(dataDir);

  expect(failure).toContain('"code":"LOG_FOREIGN"');
  expect(failure).toContain('start version 0.3.0 once on it, then this version');
  expect(await readdir(join(dataDir, 'event-log'))).toEqual(['data.mdb']);
});
