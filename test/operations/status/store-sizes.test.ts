import { statfsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { JobRunner } from '../../../services/operations/jobs/job-runner.ts';
import { Schedule, scheduledSizes } from '../../../services/operations/jobs/schedule.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { type DiskRoom, diskRoom } from '../../../services/operations/status/disk.ts';
import { JobMetrics } from '../../../services/operations/status/job-metrics.ts';
import { fullAtMs, type NotedStores, notedStores, noteSizes } from '../../../services/operations/status/store-sizes.ts';
import { hourly, plantSizes } from '../../support/stores/planted-sizes.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GB = 2 ** 30;
const NOW_MS = Date.UTC(2026, 10, 24);

describe.each(DATABASES)('on $name', ({ share }) => {
  const database = share();
  beforeEach(() => database().script('delete from store_sizes; delete from jobs'));

  test('a store grows by the line through its notes, though merges make it smaller now and then', async () => {
    const merged = (hour: number): number => 50 * GB + hour * 10_000_000 + (hour % 6) * 100_000_000;
    await plantSizes(
      database(),
      'log',
      hourly(168 - 1, (hour) => 5 * GB + hour * 1_000_000),
    );
    await plantSizes(database(), 'analytics', hourly(120, merged));

    const { log, analytics, profiles } = await notedStores(database());

    expect(log).toMatchObject({ bytes: 5 * GB + 167_000_000, growth: { bytesADay: 24_000_000 } });
    expect(Date.now() - log!.growth!.sinceMs).toBeCloseTo(167 * HOUR_MS, -5);
    expect(analytics!.growth!.bytesADay / 240_000_000).toBeCloseTo(1, 1);
    expect(profiles).toBeUndefined();
  });

  test('a store that shrinks or stays grows by less than nothing, or by nothing', async () => {
    await plantSizes(
      database(),
      'profiles',
      hourly(30, () => 90_000_000),
    );
    await plantSizes(
      database(),
      'log',
      hourly(30, (hour) => 5 * GB - hour * 1_000_000),
    );

    const { log, profiles } = await notedStores(database());

    expect([log?.growth?.bytesADay, profiles?.growth?.bytesADay]).toEqual([-24_000_000, 0]);
  });

  test('nothing is said of growth before there are notes of a day, nor for a day after something was deleted', async () => {
    const cutAt = (fall: number) => (hour: number) => 20 * GB + hour * 1_000_000 - (hour >= 40 ? fall : 0);
    await plantSizes(
      database(),
      'profiles',
      hourly(23, (hour) => hour),
    );
    await plantSizes(database(), 'log', hourly(60, cutAt(3 * GB)));
    await plantSizes(database(), 'analytics', hourly(70, cutAt(3 * GB)));

    const { log, profiles, analytics } = await notedStores(database());

    expect(profiles).toEqual({ bytes: 23, growth: null });
    expect(log).toEqual({ bytes: 17 * GB + 60_000_000, growth: null });
    expect(analytics?.growth?.bytesADay).toBe(24_000_000);
    expect(Date.now() - analytics!.growth!.sinceMs).toBeCloseTo(30 * HOUR_MS, -5);
  });

  test('what is known is noted, and notes of more than seven days ago are gone', async () => {
    await plantSizes(database(), 'log', [
      [169, 1],
      [167, 2],
    ]);

    await noteSizes(database(), { log: 3, profiles: 4, analytics: null });

    const rows = await database().query('select store, bytes from store_sizes order by store, noted_at_ms');
    expect(rows).toEqual([
      { store: 'log', bytes: 2n },
      { store: 'log', bytes: 3n },
      { store: 'profiles', bytes: 4n },
    ]);
  });

  test('one process of two notes the sizes once an hour, and of these jobs the last two are listed', async () => {
    const jobs = new SqlJobStore(database());
    const sizes = { log: 3, profiles: 4, analytics: 5 };
    const commands = { 'stores measure': () => noteSizes(database(), sizes) };
    const logger = { warn: () => undefined };
    const start = (): void => {
      const runner = new JobRunner({ commands, jobs, logger });
      const schedule = new Schedule({ entries: scheduledSizes(0), jobs: runner, logger, lookEveryMs: 1 });
      onTestFinished(async () => {
        await schedule.stop();
        await runner.stop();
      });
      schedule.start();
    };
    const countNotes = async () => (await database().query(`select from store_sizes where store = 'log'`)).length;

    const hourLater = `update jobs set created_at_ms = created_at_ms - ${HOUR_MS}, started_at_ms = started_at_ms - ${HOUR_MS}`;
    const statesOfJobs = async () => (await jobs.list(9)).map(({ state }) => state);

    start();
    start();
    await expect.poll(countNotes).toBe(1);
    await expect.poll(statesOfJobs).toEqual(['done']);
    for (const notes of [2, 3, 4]) {
      await database().script(hourLater);
      await expect.poll(countNotes).toBe(notes);
      await expect.poll(statesOfJobs).toEqual(['done', 'done']);
    }

    expect((await jobs.list(9))[0]).toMatchObject({ kind: 'stores measure', result: JSON.stringify(sizes) });
  });

  test('metrics have what each store takes, its growth, what is free and when the disk is full', async () => {
    const dataDir = await temporaryFolder();
    const folders = { dataDir, log: join(dataDir, 'event-log'), profiles: undefined, analytics: undefined };
    await mkdir(folders.log);
    const metrics = new JobMetrics(database(), { folders });
    const before = await metrics.text();
    await plantSizes(
      database(),
      'log',
      hourly(48, (hour) => hour * GB),
    );
    await plantSizes(
      database(),
      'profiles',
      hourly(2, (hour) => 7 + hour),
    );

    const after = await metrics.text();

    const free = Number(/^tidemark_disk_free_bytes\{folder="[^"]+"\} (\d+)$/m.exec(after)?.[1]);
    const fullAt = Number(/^tidemark_disk_full_timestamp_seconds\{folder="[^"]+"\} (\S+)$/m.exec(after)?.[1]);
    expect(before).not.toMatch(/^tidemark_(store|disk_full)/m);
    expect(after).toContain(`tidemark_store_bytes{store="log"} ${48 * GB}\n`);
    expect(after).toContain('tidemark_store_bytes{store="profiles"} 9\n');
    expect(after).toContain(`tidemark_store_grows_bytes_per_day{store="log"} ${24 * GB}\n`);
    expect(after).not.toContain('tidemark_store_grows_bytes_per_day{store="profiles"}');
    expect(fullAt - Date.now() / 1_000).toBeCloseTo((free / (24 * GB)) * 86_400, -2);
  });
});

describe('a disk', () => {
  const room = (freeBytes: number, stores: DiskRoom['stores'] = ['log', 'profiles', 'analytics']): DiskRoom => {
    return { folder: '/data', totalBytes: 100 * GB, freeBytes, stores };
  };
  const grows = (log: number, profiles: number, analytics: number | null): NotedStores => {
    const of = (bytesADay: number) => ({ bytes: 1, growth: { bytesADay, sinceMs: 0 } });
    return {
      log: of(log),
      profiles: of(profiles),
      analytics: analytics === null ? { bytes: 1, growth: null } : of(analytics),
    };
  };

  test('a disk is full when what is free is used up by what its stores grow a day together', () => {
    expect(fullAtMs(room(30 * GB), grows(2 * GB, -GB, 2 * GB), NOW_MS)).toBe(NOW_MS + 10 * DAY_MS);
    expect(fullAtMs(room(0), grows(GB, 0, 0), NOW_MS)).toBe(NOW_MS);
  });

  test('a disk lasts longer at once when it gets larger', () => {
    const growth = grows(GB, GB, GB);

    expect(fullAtMs(room(3 * GB), growth, NOW_MS)).toBe(NOW_MS + DAY_MS);
    expect(fullAtMs(room(303 * GB), growth, NOW_MS)).toBe(NOW_MS + 101 * DAY_MS);
  });

  test('a disk is never full where stores do not grow, where that is not known, and where none is on it', () => {
    expect(fullAtMs(room(GB), grows(GB, -GB, 0), NOW_MS)).toBeNull();
    expect(fullAtMs(room(GB), grows(GB, -2 * GB, 0), NOW_MS)).toBeNull();
    expect(fullAtMs(room(0), grows(0, 0, 0), NOW_MS)).toBeNull();
    expect(fullAtMs(room(GB), grows(GB, GB, null), NOW_MS)).toBeNull();
    expect(fullAtMs(room(GB, []), grows(GB, GB, GB), NOW_MS)).toBeNull();
    expect(fullAtMs(room(500 * GB), grows(1, 1, 1), NOW_MS)).toBeNull();
    expect(fullAtMs(room(GB, ['log', 'profiles']), grows(GB, GB, null), NOW_MS)).toBe(NOW_MS + DAY_MS / 2);
  });

  test('a disk has the embedded stores whose folders are on it', async () => {
    const dataDir = await temporaryFolder();
    await mkdir(join(dataDir, 'event-log'));
    const elsewhere = ['/proc', '/sys'].find((folder) => statSync(folder, { throwIfNoEntry: false }) !== undefined);
    const folders = { dataDir, log: join(dataDir, 'event-log'), profiles: undefined, analytics: elsewhere };

    const found = await diskRoom(folders);

    expect(found).toMatchObject({ folder: dataDir, stores: ['log'] });
    expect(found?.totalBytes).toBe(statfsSync(dataDir).blocks * statfsSync(dataDir).bsize);
    expect(await diskRoom({ ...folders, dataDir: join(dataDir, 'nowhere') })).toBeNull();
  });
});
