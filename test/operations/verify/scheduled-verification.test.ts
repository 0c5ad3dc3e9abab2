import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../services/runtime/logger.ts';
import type { FoundDifference } from '../../../services/operations/verify/last-verification.ts';
import type { JobCommands } from '../../../services/operations/jobs/job.ts';
import { JobRunner } from '../../../services/operations/jobs/job-runner.ts';
import { Schedule, scheduledVerification } from '../../../services/operations/jobs/schedule.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { verifyPeriod } from '../../../services/operations/verify/verify-commands.ts';
import { JobMetrics } from '../../../services/operations/status/job-metrics.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';

const installation = sharedInstallation('embedded');
const PATIENCE = { timeout: 20_000 };
const HOUR_MICROS = 3_600_000_000n;
const lines: string[] = [];
const differences: FoundDifference[] = [];
let isTelling = true;

test('a service verifies the last hours by itself, one process of several, and metrics and endpoints say what it found', async () => {
  const maker = new MessageMaker();
  const lastHour = BigInt(Date.now()) * 1000n - HOUR_MICROS;
  const old = maker.track({ receivedAt: lastHour - 30n * HOUR_MICROS });
  await installation().append([old, maker.track({ receivedAt: lastHour }), maker.identify({ receivedAt: lastHour })]);
  await installation().readAll();
  const first = watch(3_600_000);
  const second = watch(3_600_000);

  await expect.poll(() => first.metrics(), PATIENCE).toMatch(/missing_messages\{store="clickhouse"\} 0/);
  const before = await second.metrics();
  await Promise.all([first.stop(), second.stop()]);
  expect(lines).toHaveLength(1);
  expect(differences).toEqual([]);
  await installation().alterAnalytics('ALTER TABLE track_rows DELETE WHERE 1 SETTINGS mutations_sync = 2');
  await installation().database.query(
    `update applied_counts set messages = messages + 1 where topic = 'tidemark.identify'`,
  );
  isTelling = false;
  const failing = watch(1);
  await expect.poll(() => lines.join(), PATIENCE).toContain('nobody can be differences');
  expect(await failing.metrics()).toMatch(/missing_messages\{store="clickhouse"\} 0/);
  await failing.stop();
  isTelling = true;
  const again = watch(1);

  await expect.poll(() => again.metrics(), PATIENCE).toMatch(/missing_messages\{store="clickhouse"\} 1/);
  expect(differences[0]).toMatchObject({
    job: null,
    project: null,
    missing: { postgres: 0, clickhouse: 1 },
    hoursDifferent: 1,
  });
  const metrics = await again.metrics();
  expect(before).toMatch(/verify_missing_messages\{store="postgres"\} 0/);
  expect(metrics).toMatch(/verify_missing_messages\{store="postgres"\} 0/);
  expect(metrics).toMatch(/verify_surplus_messages\{store="postgres"\} 1/);
  const [, checkedAt] = /^tidemark_verify_last_check_timestamp_seconds (\S+)$/m.exec(metrics) ?? [];
  expect(Math.abs(Number(checkedAt) - Date.now() / 1000)).toBeLessThan(60);
});

test('one that is turned off is never due, and none is while a process has just begun', async () => {
  expect(scheduledVerification(0)).toEqual([]);
  const [entry] = scheduledVerification(3_600_000);

  expect(await entry?.wanted()).toEqual([]);
});

/** In the transaction of what is kept: where it fails, nothing is. */
async function tell(_: unknown, found: FoundDifference): Promise<void> {
  if (!isTelling) throw new Error('nobody can be differences');
  differences.push(found);
}

function watch(everyMs: number) {
  const { log, codec, database, analytics } = installation();
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const projects = new SqlProjectStore(database);
  const parts = { log, codec, database, analytics, projects, logger, repeatWindowMs: 2 ** 40, tell };
  const commands = { verify: (...call: Parameters<JobCommands['verify']>) => verifyPeriod(parts, ...call) };
  const jobs = new JobRunner({ commands, jobs: new SqlJobStore(database), logger });
  const entries = scheduledVerification(everyMs, 0);
  const schedule = new Schedule({ entries, jobs, logger, lookEveryMs: 20 });
  const stop = async (): Promise<void> => {
    await schedule.stop();
    await jobs.stop();
  };
  onTestFinished(stop);
  schedule.start();
  const metrics = new JobMetrics(database);
  return { stop, metrics: () => metrics.text() };
}
