import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readersPassed } from '../support/service/readers-passed.ts';
import { ADMIN_KEY, ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A service starts several times, which takes a minute each on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const IDENTIFY = { user_id: 'ada', traits: { plan: 'pro' } };
const RECOVER = { RECOVER_PROJECTS: 'on' };

async function start(dataDir: string, settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataDir, settings);
  onTestFinished(async () => void (await service.stop()));
  return service;
}

/** Why a start ended. */
async function failureOf(dataDir: string, settings: Record<string, string> = {}): Promise<string> {
  const started = start(dataDir, settings).then((service) => service.stop().then(() => 'it started'));
  return started.catch((error: unknown) => String(error));
}

/** Resolves once a message is in the stores. */
async function record(service: ServiceProcess, body: object = IDENTIFY): Promise<void> {
  const answer = await service.request('/v1/identify', body);
  expect(answer.status).toBe(200);
  await readersPassed(service, ((await answer.json()) as { receipt: string }).receipt);
}

interface ProjectAnswer {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
}

async function admin<T>(service: ServiceProcess, path: string, method = 'GET', body?: object): Promise<T> {
  const headers = { api_key: ADMIN_KEY, ...(body && { 'content-type': 'application/json' }) };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await (await fetch(`${service.url}/v1/admin${path}`, init)).json()) as T;
}

async function projectsOf(service: ServiceProcess): Promise<readonly ProjectAnswer[]> {
  return (await admin<{ projects: readonly ProjectAnswer[] }>(service, '/projects')).projects;
}

test('a start whose profiles folder was lost stops with a code, and RECOVER_PROJECTS opens the log again', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  const before = await start(dataDir);
  const [project] = (await projectsOf(before)) as [ProjectAnswer];
  await admin(before, `/projects/${project.id}`, 'PATCH', { name: 'Shop', timezone: 'Asia/Tokyo' });
  await record(before);
  await before.stop();
  await rm(join(dataDir, 'profiles'), { recursive: true });

  const failure = await failureOf(dataDir);
  const after = await start(dataDir, RECOVER);

  expect(failure).toContain('"code":"PROJECTS_LOST"');
  expect(failure).toContain('RECOVER_PROJECTS');
  expect(await projectsOf(after)).toMatchObject([{ id: project.id, name: 'Shop', timezone: 'Asia/Tokyo' }]);
  await record(after, { ...IDENTIFY, traits: { seats: 3 } });
  expect(await (await after.request('/v1/users/ada')).json()).toMatchObject({ traits: { plan: 'pro', seats: 3 } });
});

test('where an older profiles folder is restored, projects deleted since stay deleted, and those made since are there', async () => {
  const root = await temporaryFolder();
  const [dataDir, backup] = [join(root, 'data'), join(root, 'backup')];
  const first = await start(dataDir);
  const gone = await admin<ProjectAnswer>(first, '/projects', 'POST', { name: 'Gone', timezone: 'UTC' });
  await record(first);
  await first.stop();
  await cp(join(dataDir, 'profiles'), backup, { recursive: true });
  const second = await start(dataDir);
  await admin(second, `/projects/${gone.id}?confirm=Gone`, 'DELETE');
  expect((await projectsOf(second)).map(({ name }) => name)).toEqual(['default']);
  const later = await admin<ProjectAnswer>(second, '/projects', 'POST', { name: 'Later', timezone: 'UTC' });
  await record(second);
  await second.stop();
  await rm(join(dataDir, 'profiles'), { recursive: true });
  await cp(backup, join(dataDir, 'profiles'), { recursive: true });

  const restored = await projectsOf(await start(dataDir));

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
