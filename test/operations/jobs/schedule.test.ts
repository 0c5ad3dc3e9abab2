import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type BackupResult, lastBackup } from '../../../services/operations/backup/last-backup.ts';
import { JobRunner, type JobRunnerOptions } from '../../../services/operations/jobs/job-runner.ts';
import type { JobRunnerParts } from '../../../services/operations/jobs/job-runner.ts';
import type { JobKind, NewJob } from '../../../services/operations/jobs/job.ts';
import { Schedule, scheduledBackup, type Scheduled } from '../../../services/operations/jobs/schedule.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { JobMetrics } from '../../../services/operations/status/job-metrics.ts';
import type { CommandCall } from '../../../services/runtime/command.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
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

const database = sharedDatabase();
beforeEach(() => database().script('delete from jobs'));
const logger = { warn: () => undefined };

function runner(
  commands: JobRunnerParts['commands'],
  leaseMs?: number,
  options?: Partial<JobRunnerOptions>,
): JobRunner {
  const jobs = new JobRunner({
    commands,
    jobs: new SqlJobStore(database(), leaseMs),
    logger,
    ...(options && { options }),
  });
  onTestFinished(() => jobs.stop());
  return jobs;
}

function schedule(jobs: JobRunner, entries: readonly Scheduled[] = []): Schedule {
  const made = new Schedule({ entries, jobs, logger, lookEveryMs: 1 });
  onTestFinished(() => made.stop());
  made.start();
  return made;
}

async function untilAborted(_: unknown, { signal }: CommandCall): Promise<never> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason as Error));
  return promise;
}

/** As if its process had died: it says nothing more, and does not learn what becomes of its job. */
async function startAndDie(kind: JobKind): Promise<string> {
  const dead = runner({ [kind]: untilAborted }, 30, { heartbeatMs: 1_000_000 });
  return (await dead.start({ kind, args: {}, principal: 'local' } as NewJob)).id;
}

const stateOf = async (id: string) => (await new SqlJobStore(database()).find(id))?.state;

test('one process begins a backup that is due, into the folder of the settings', async () => {
  let runs = 0;
  const backup = async () => ({ ...RESULT, number: ++runs });
  const entries = scheduledBackup({ folder: '/b', everyMs: DAY_MS });
  const both = [schedule(runner({ backup }), entries), schedule(runner({ backup }), entries)];

  await expect.poll(async () => (await lastBackup(database(), '/b'))?.result.number).toBe(1);
  for (const one of both) await one.stop();

  const jobs = await new SqlJobStore(database()).list(9);
  expect(jobs).toMatchObject([{ kind: 'backup', args: { folder: '/b' }, principal: 'service', state: 'done' }]);
  expect(scheduledBackup({ folder: undefined, everyMs: DAY_MS })).toEqual([]);
  expect(scheduledBackup({ folder: '/b', everyMs: 0 })).toEqual([]);
});

test('a backup is due a time after the last began, into the same folder, and sooner where that failed', async () => {
  const store = new SqlJobStore(database());
  const [terms] = scheduledBackup({ folder: '/b', everyMs: DAY_MS });
  if (terms === undefined) throw new Error('nothing is scheduled');
  const job = { kind: 'backup', args: { folder: '/b' }, principal: 'service' } as const;
  const isDueAfter = async (ms: number): Promise<boolean> => {
    const sql = `update jobs set created_at_ms = created_at_ms - $1::int8, started_at_ms = started_at_ms - $1::int8,
                                 finished_at_ms = finished_at_ms - $1::int8`;
    await database().query(sql, [ms]);
    return (await store.addDue(job, terms, 'a token')).isBegun;
  };
  const end = (state: 'done' | 'failed') => {
    const result = state === 'done' ? JSON.stringify(RESULT) : null;
    const failure = state === 'done' ? null : { message: 'no disk' };
    return { state, result, failure, progress: null, rate: null };
  };
  const { id } = await store.add({ ...job, args: { folder: '/b', again: true } }, 'a token');
  await store.add({ ...job, args: { folder: '/other' } }, 'a token');

  expect(await isDueAfter(2 * DAY_MS), 'it is under way').toBe(false);
  await store.finish(id, end('done'), 'a token');
  await database().query(
    `update jobs set started_at_ms = finished_at_ms, created_at_ms = finished_at_ms where id = $1`,
    [id],
  );
  expect(await isDueAfter(DAY_MS / 2)).toBe(false);
  expect(await isDueAfter(DAY_MS / 2)).toBe(true);
  const [second] = (await store.list(9)).filter(({ state, args }) => state === 'queued' && args['folder'] === '/b');
  await store.finish(second?.id ?? '', end('failed'), 'a token');
  expect(await isDueAfter(10 * MINUTE_MS)).toBe(false);
  expect(await isDueAfter(10 * MINUTE_MS)).toBe(true);
  expect(await stateOf(second?.id ?? ''), 'the same job goes on').toBe('queued');
});

test('the metrics have the last backup that came to its end, however long ago', async () => {
  const store = new SqlJobStore(database());
  const metrics = new JobMetrics(database(), { backups: { folder: '/b', everyMs: DAY_MS } });
  const before = await metrics.text();
  const job = { kind: 'backup', args: { folder: '/b' }, principal: 'service' } as const;
  const { id } = await store.add(job, 'a token');
  const end = { state: 'done', failure: null, progress: null, rate: null } as const;
  await store.finish(id, { ...end, result: JSON.stringify(RESULT) }, 'a token');
  await database().query('update jobs set finished_at_ms = 1000');
  await store.add(job, 'a token');

  const after = await metrics.text();

  expect(before).toContain('tidemark_backup_last_success_timestamp_seconds 0\n');
  expect(await lastBackup(database(), undefined)).toEqual({ finishedAtMs: 1_000, result: RESULT });
  expect(after).toContain('tidemark_backup_last_success_timestamp_seconds 1\n');
  expect(after).toContain('tidemark_backup_bytes 90\n');
  expect(after).toContain('tidemark_backup_seconds 1.5\n');
});

test.each(['verify', 'replay build', 'replay compare', 'replay drop', 'project erase', 'users erase'] as const)(
  'the job %s of a process that died is taken up by one other, and comes to its end there',
  async (kind) => {
    const id = await startAndDie(kind);
    let runs = 0;
    const others = [1, 2].map(() => runner({ [kind]: async () => ++runs }));

    for (const other of others) schedule(other);

    await expect.poll(() => stateOf(id)).toBe('done');
    expect(runs).toBe(1);
  },
);

test.each(['import', 'backup', 'replay swap', 'replay rollback', 'dead-letters replay'] as const)(
  'the job %s of a process that died waits for somebody who has it go on',
  async (kind) => {
    const id = await startAndDie(kind);
    await expect.poll(() => stateOf(id)).toBe('interrupted');

    expect(await runner({ [kind]: untilAborted }).takeUp()).toBe(false);
  },
);

test('a job is taken up only by a process that runs its kind, and not where somebody has cancelled it', async () => {
  const [id, cancelled] = [await startAndDie('verify'), await startAndDie('verify')];
  await new SqlJobStore(database()).requestCancel(cancelled);
  await expect.poll(() => stateOf(id)).toBe('interrupted');
  await expect.poll(() => stateOf(cancelled)).toBe('interrupted');

  expect(await runner({ backup: untilAborted }).takeUp()).toBe(false);
  const other = runner({ verify: untilAborted });
  expect([await other.takeUp(), await other.takeUp()]).toEqual([true, false]);

  expect([await stateOf(id), await stateOf(cancelled)]).toEqual(['queued', 'interrupted']);
});

test('a job that a process took from another that was slow is ended there, and only the second writes its end', async () => {
  let isAborted = false;
  const slow = runner(
    {
      verify: async (_, { signal }) => {
        signal.addEventListener('abort', () => (isAborted = true));
        await new Promise((resolve) => setTimeout(resolve, 300));
        return 'the first';
      },
    },
    30,
    { heartbeatMs: 100 },
  );
  const { id } = await slow.start({ kind: 'verify', args: {}, principal: 'local' });
  const { promise, resolve } = Promise.withResolvers<string>();
  const other = runner({ verify: () => promise });

  await expect.poll(() => other.takeUp()).toBe(true);
  await expect.poll(() => isAborted).toBe(true);
  await new Promise((ended) => setTimeout(ended, 400));
  expect(await stateOf(id)).not.toBe('done');
  resolve('the second');

  await expect.poll(() => stateOf(id)).toBe('done');
  expect((await other.find(id))?.result).toBe('"the second"');
});

test('a job with which process after process ends is not taken up for ever', async () => {
  const store = new SqlJobStore(database(), -1);
  const { id } = await store.add({ kind: 'verify', args: {}, principal: 'local' }, 'a token');
  let times = 0;

  while ((await store.takeUp(['verify'], 'another')) !== undefined) times++;

  expect(times).toBe(2);
  expect(await stateOf(id)).toBe('interrupted');
});

test('a job of a service that stops goes on after its next start, as often as it is stopped', async () => {
  let id = '';
  for (let n = 0; n < 5; n++) {
    const jobs = runner({ 'replay build': untilAborted });
    if (n === 0) ({ id } = await jobs.start({ kind: 'replay build', args: { kind: 'profiles' }, principal: 'local' }));
    else expect(await jobs.takeUp()).toBe(true);
    await jobs.stop();
  }

  expect(await stateOf(id)).toBe('interrupted');
  expect(await runner({ 'replay build': async () => 1 }).takeUp()).toBe(true);
  await expect.poll(() => stateOf(id)).toBe('done');
});
