import { expect, onTestFinished, test } from 'vitest';
import { BackupMetrics } from '../../../services/operations/backup/backup-metrics.ts';
import { BackupWatch } from '../../../services/operations/backup/backup-watch.ts';
import {
  type BackupResult,
  lastBackup,
  noteBegun,
  noteFinished,
  takeBackupTurn,
} from '../../../services/operations/backup/last-backup.ts';
import type { Job, NewJob } from '../../../services/operations/jobs/job.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openNewDatabase } from '../../support/stores/new-stores.ts';

const DAY_MS = 86_400_000;
const RESULT: BackupResult = {
  folder: '/b',
  number: 4,
  at: '2026-11-24T02:00:00.000000Z',
  records: 1,
  records_total: 9,
  bytes: 10,
  bytes_total: 90,
  kept: 2,
  took_ms: 1_500,
};

async function openDatabase() {
  const database = await openNewDatabase();
  onTestFinished(() => database.close());
  await migrateDatabase(database);
  return database;
}

test('one process begins a backup that is due, into the folder of the settings', async () => {
  const database = await openDatabase();
  const started: NewJob[] = [];
  const jobs = { start: async (job: NewJob) => (started.push(job), {} as Job) };
  const logger = { warn: () => undefined };
  const parts = { database, jobs, logger, folder: '/b', everyMs: DAY_MS, lookEveryMs: 1 };
  const watches = [new BackupWatch(parts), new BackupWatch(parts)];

  for (const watch of watches) watch.start();
  await expect.poll(() => started.length).toBe(1);
  for (const watch of watches) await watch.stop();

  expect(started).toEqual([{ kind: 'backup', args: { folder: '/b' }, principal: 'service' }]);
  expect(await takeBackupTurn(database, '/b', DAY_MS)).toBe(false);
});

test('a backup that failed is tried again sooner than the next is due', async () => {
  const database = await openDatabase();
  const isDueAfter = async (ms: number): Promise<boolean> => {
    await database.query(
      'update backups set begun_at_ms = begun_at_ms - $1::int8, finished_at_ms = finished_at_ms - $1::int8',
      [ms],
    );
    return takeBackupTurn(database, '/b', DAY_MS);
  };

  await noteBegun(database, '/b');
  await noteFinished(database, RESULT);
  expect(await isDueAfter(DAY_MS / 2)).toBe(false);
  expect(await isDueAfter(DAY_MS / 2)).toBe(true);
  expect(await isDueAfter(600_000)).toBe(false);
  expect(await isDueAfter(600_000)).toBe(true);
});

test('the metrics have the last backup that came to its end', async () => {
  const database = await openDatabase();
  const metrics = new BackupMetrics(database, '/b');
  const before = await metrics.text();
  await noteBegun(database, '/b');
  await noteFinished(database, RESULT);
  await noteBegun(database, '/b');

  const after = await metrics.text();

  expect(before).toContain('tidemark_backup_last_success_timestamp_seconds 0\n');
  const last = await lastBackup(database, undefined);
  expect(last?.result).toEqual(RESULT);
  expect(after).toContain(`tidemark_backup_last_success_timestamp_seconds ${(last?.finishedAtMs ?? 0) / 1000}\n`);
  expect(after).toContain('tidemark_backup_bytes 90\n');
  expect(after).toContain('tidemark_backup_seconds 1.5\n');
});
