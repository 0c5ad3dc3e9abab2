/** A thousand of a million events are erased by a service that is killed meanwhile. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { searchFiles } from '../../support/search-files.ts';
import { ADMIN_KEY, type ServiceProcess, WRITE_KEY } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EVENTS = 1_000_000;
const OF_BATCH = 500;
const EVERY = 1_000;
const SECRET = 'SECRET-of-a-million';
const ADMIN = { key: ADMIN_KEY };
const KILLS = 4;
const PATIENCE = { timeout: 600_000, interval: 1_000 };

interface Erasure {
  readonly id: string;
  readonly state: string;
  readonly report: Readonly<Record<string, Record<string, number>>> | null;
}

test(
  'a thousand of a million events are in no file, a replay brings none back, and every other count is the same',
  { timeout: 3_600_000 },
  async () => {
    const folder = await temporaryFolder();
    let service = await startedService(folder);
    const again = async (): Promise<void> => {
      await service.stop('SIGKILL');
      service = await startedService(folder);
    };
    const { projects } = await service.ask<{ projects: { id: string }[] }>('/v1/admin/projects', undefined, ADMIN);
    const project = projects[0]?.id ?? '';
    const live = await service.ask<{ id: string }>('/v1/audiences', {
      name: 'Had a secret',
      definition: { event: 'Signed Up', where: [{ property: 'note', starts_with: 'SECRET' }] },
      refresh: 'live',
    });
    await fill(service);
    const before = await countsOf(service);
    expect(before).toEqual({ 'Signed Up': EVENTS / 2, Bought: EVENTS / 2 });
    await expect.poll(() => sizeOf(service, live.id), PATIENCE).toBe(EVENTS / EVERY);
    const wanted = { project, where: [{ property: 'note', starts_with: 'SECRET' }] };
    expect((await searchFiles(folder, { SECRET })).length).toBeGreaterThan(1);

    const looked = await service.ask<{ count: number }>('/v1/admin/event-erasures', wanted, ADMIN);
    expect(looked.count).toBe(EVENTS / EVERY);
    const { id } = await service.ask<Erasure>('/v1/admin/event-erasures', { ...wanted, count: looked.count }, ADMIN);

    const left = { 'Signed Up': EVENTS / 2 - EVENTS / EVERY, Bought: EVENTS / 2 };
    expect(await countsOf(service)).toEqual(left);
    const erasure = () => service.ask<Erasure>(`/v1/admin/erasures/${id}`, undefined, ADMIN);
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(5_000 + 17_000 * kill);
      await again();
    }
    await expect.poll(async () => (await erasure()).state, PATIENCE).toBe('done');
    expect((await erasure()).report).toMatchObject({ found_at_end: { postgres: 0, clickhouse: 0 } });
    expect(await searchFiles(folder, { SECRET })).toEqual([]);
    expect((await readdir(folder)).length).toBeGreaterThan(2);
    expect(await countsOf(service)).toEqual(left);
    await expect.poll(() => sizeOf(service, live.id), PATIENCE).toBe(0);
    expect(await jobOf(service, '/v1/admin/verifications', { deep: true })).toMatchObject({ equal: true });
    for (const kind of ['profiles', 'analytics']) {
      const built = await jobOf(service, '/v1/admin/generations', { kind });
      const path = `/v1/admin/generations/${kind}/${String(built['number'])}`;
      expect(await jobOf(service, `${path}/compare`), kind).toMatchObject({ same: true });
      await jobOf(service, `${path}/swap`);
    }
    await again();
    expect(await countsOf(service)).toEqual(left);
    expect(await searchFiles(folder, { SECRET })).toEqual([]);
  },
);

async function fill(service: ServiceProcess): Promise<void> {
  let receipt = '';
  for (let at = 0; at < EVENTS; at += OF_BATCH) {
    const batch = Array.from({ length: OF_BATCH }, (_, index) => {
      const number = at + index;
      const event = number % 2 === 0 ? 'Signed Up' : 'Bought';
      const note = number % EVERY === 0 ? `${SECRET} ${number}` : `note ${number % 97}`;
      const properties = { note, number };
      return { type: 'track', user_id: `u${number % 49_999}`, message_id: `m-${number}`, event, properties };
    });
    ({ receipt } = await service.ask<{ receipt: string }>('/v1/batch', { batch }, { key: WRITE_KEY }));
  }
  await expect
    .poll(() => service.ask(`/v1/receipts/${receipt}?wait=30`), PATIENCE)
    .toMatchObject({ projected: true, queryable: true });
}

async function countsOf(service: ServiceProcess): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const event of ['Signed Up', 'Bought']) {
    const body = { measure: 'count', event };
    const { series } = await service.ask<{ series: { values: number[] }[] }>('/v1/events/counts', body);
    counts[event] = series[0]?.values[0] ?? -1;
  }
  return counts;
}

async function sizeOf(service: ServiceProcess, audience: string): Promise<number | null> {
  const { count } = await service.ask<{ count: number }>('/v1/audiences/preview', { definition: { audience } });
  return count;
}

interface Job {
  readonly id: string;
  readonly state: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

async function jobOf(service: ServiceProcess, path: string, body: object = {}) {
  const { id } = await service.ask<Job>(path, body, ADMIN);
  const job = () => service.ask<Job>(`/v1/admin/jobs/${id}`, undefined, ADMIN);
  await expect.poll(async () => (await job()).state, PATIENCE).toBe('done');
  return (await job()).result ?? {};
}
