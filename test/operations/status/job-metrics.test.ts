/** What of an installation the metrics tell beside backups, verifications and sizes, each of which has a test of its own. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { diskRooms } from '../../../services/operations/status/disk.ts';
import { JobMetrics } from '../../../services/operations/status/job-metrics.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const REPORT = { role: 'sink', version: '1', startedAtMs: 0, parts: {} };

function gaugeIn(text: string, name: string): number {
  const [, value = 'NaN'] = new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text) ?? [];
  return Number(value);
}

describe.each(DATABASES)('metrics of an installation on $name', ({ share }) => {
  const database = share();
  beforeEach(() => database().script('delete from jobs; delete from audiences'));

  test('jobs count as failed for a day, and audiences until an evaluation of them succeeds', async () => {
    const jobs = new SqlJobStore(database());
    for (const hours of [1, 23, 25]) {
      const { id } = await jobs.add({ kind: 'verify', args: {}, principal: 'local' }, 'a token');
      const failure = { message: 'no disk' };
      await jobs.finish(id, { state: 'failed', failure, result: null, progress: null, rate: null }, 'a token');
      await database().query('update jobs set finished_at_ms = finished_at_ms - $2::int8 where id = $1', [
        id,
        hours * HOUR_MS,
      ]);
    }
    const { id: project } = await new SqlProjectStore(database()).createProject({
      name: 'Shop',
      timezone: 'UTC',
      rateLimit: null,
    });
    const audiences = new SqlAudienceStore(database(), 100);
    for (const name of ['Gone', 'Failed', 'Due'])
      await audiences.create(project, { name, definition: '{"trait":"plan","is":"pro"}', refreshMs: HOUR_MS });
    await database().query(
      `update audiences set failure = case name when 'Due' then null else 'QUERY_LIMIT' end,
         due_at_ms = due_at_ms - case name when 'Gone' then 900000 when 'Due' then 60000 else -60000 end,
         deleted_at_ms = case name when 'Gone' then 1 end`,
    );

    const text = await new JobMetrics(database()).text();

    expect(gaugeIn(text, 'tidemark_jobs_failed')).toBe(2);
    expect(gaugeIn(text, 'tidemark_audiences_failed')).toBe(1);
    const dueFor = gaugeIn(text, 'tidemark_audience_oldest_due_seconds');
    expect(dueFor).toBeGreaterThanOrEqual(60);
    expect(dueFor).toBeLessThan(900);
  });

  test('what a process makes by itself is overdue some times after the last, or after its start', async () => {
    const backups = { folder: '/b', everyMs: 24 * HOUR_MS };
    const metrics = new JobMetrics(database(), { backups, verifyEveryMs: HOUR_MS });
    const name = 'tidemark_job_overdue_timestamp_seconds';
    const overdueAt = (text: string, kind: string) => gaugeIn(text, `${name}{kind="${kind}"}`);
    const never = await metrics.text();
    const jobs = new SqlJobStore(database());
    const { id } = await jobs.add({ kind: 'backup', args: { folder: '/b' }, principal: 'service' }, 'a token');
    const result = JSON.stringify({ folder: '/b', bytes_total: 1, took_ms: 1 });
    await jobs.finish(id, { state: 'done', failure: null, result, progress: null, rate: null }, 'a token');
    await database().query('update jobs set finished_at_ms = finished_at_ms - $1::int8', [72 * HOUR_MS]);
    const old = await metrics.text();

    expect(overdueAt(never, 'backup')).toBeCloseTo(performance.timeOrigin / 1_000 + 48 * 3_600, 0);
    expect(overdueAt(never, 'verify')).toBeCloseTo(performance.timeOrigin / 1_000 + 3 * 3_600, 0);
    expect((Date.now() / 1_000 - overdueAt(old, 'backup')) / 3_600).toBeCloseTo(24, 0);
    const none = new JobMetrics(database(), { backups: { folder: undefined, everyMs: HOUR_MS }, verifyEveryMs: 0 });
    expect(await none.text()).not.toContain(`${name}{`);
  });
});

describe('metrics of an installation', () => {
  const database = sharedDatabase();

  test('a process runs a reader while it reports that, and what does not answer keeps its last figure', async () => {
    const seen = [
      { ...REPORT, id: 'a', ageMs: 29_000, rates: { sink: 0, 'import-sink': 0 } },
      { ...REPORT, id: 'b', ageMs: 31_000, rates: { projector: 9 } },
    ];
    let isDown = false;
    const whileThere = async <T>(value: T): Promise<T> => {
      if (isDown) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
      return value;
    };
    const metrics = new JobMetrics(database(), {
      processes: { list: () => whileThere(seen) },
      countWaiting: () => whileThere({ messages: 3, byReader: { sink: 3 }, byProject: {} }),
    });

    const texts = [await metrics.text()];
    isDown = true;
    texts.push(await metrics.text());

    for (const text of texts) {
      const counts = ['projector', 'sink', 'import-projector', 'import-sink'].map((reader) =>
        gaugeIn(text, `tidemark_reader_processes{reader="${reader}"}`),
      );
      expect(counts).toEqual([0, 1, 0, 1]);
      expect(gaugeIn(text, 'tidemark_dead_letters_waiting')).toBe(3);
    }
  });

  test('a scrape ends while a source hangs', async () => {
    const { promise, resolve } = Promise.withResolvers<never[]>();
    const metrics = new JobMetrics(database(), { processes: { list: () => promise } });

    const text = await metrics.text();

    expect(text).toContain('tidemark_jobs_failed ');
    expect(text).not.toContain('tidemark_reader_processes{');
    resolve([]);
  });

  test('each disk is told once, by the first of the folders on it', async () => {
    const dataDir = await temporaryFolder();
    const folders = { dataDir, log: join(dataDir, 'log'), profiles: undefined, analytics: undefined };
    await mkdir(folders.log);
    const isElsewhere = (folder: string) => statSync(folder, { throwIfNoEntry: false })?.dev !== statSync(dataDir).dev;
    const elsewhere = ['/dev/shm', '/dev'].find((folder) => existsSync(folder) && isElsewhere(folder));

    const all = { ...folders, spool: folders.log, backups: elsewhere, analytics: join(dataDir, 'none') };
    const rooms = await diskRooms(all, Object.values(all));

    expect(rooms.map(({ folder, stores }) => [folder, stores])).toEqual([
      [dataDir, ['log']],
      [elsewhere, []],
    ]);
    for (const { freeBytes, totalBytes } of rooms) expect(freeBytes).toBeLessThanOrEqual(totalBytes);
  });
});
