import { expect, onTestFinished, test, vi } from 'vitest';
import { JobRunner } from '../../../services/operations/jobs/job-runner.ts';
import { Schedule, scheduledErasures } from '../../../services/operations/jobs/schedule.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { JobMetrics } from '../../../services/operations/status/job-metrics.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { CommandCall } from '../../../services/runtime/command.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import { ForgettingScene } from './forgetting-scene.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };

const installation = sharedInstallation('embedded');
const scene = new ForgettingScene(installation);

/** Fails until it is called. */
function outageOf(analytics: AnalyticsStore): () => void {
  const forget = analytics.forget.bind(analytics);
  analytics.forget = () => Promise.reject(new TidemarkError('STORE_UNAVAILABLE', 'ClickHouse cannot be reached'));
  return () => (analytics.forget = forget);
}

/** Carries the job out. */
function runnerOn(database: Database): JobRunner {
  const commands = { 'users erase': (_: unknown, call: CommandCall) => scene.forget(call) };
  return new JobRunner({ commands, jobs: new SqlJobStore(database), logger: { warn: () => undefined } });
}

test('while a store is down in the midst one job is tried again and again, and ends once the store is there', async () => {
  const { database, analytics } = installation();
  const shop = await scene.projectWithPeople('An outage');
  await scene.request(shop.projectId, ['ada']);
  const metrics = new JobMetrics(database);
  const restore = outageOf(analytics);
  const jobs = runnerOn(database);
  const begin = vi.spyOn(jobs, 'startDue');
  // As `scheduledErasures`, and again at once.
  const entries = scheduledErasures(database).map((entry) => ({ ...entry, againAfterMs: 0 }));
  const watch = new Schedule({ entries, jobs, logger: { warn: () => undefined }, lookEveryMs: 1 });
  onTestFinished(async () => {
    await watch.stop();
    await jobs.stop();
  });

  watch.start();
  await expect
    .poll(() => begin.mock.settledResults.filter(({ value }) => value?.isBegun === true).length, PATIENCE)
    .toBeGreaterThan(3);
  const during = {
    pending: (await new SqlErasures(database).pending()).length,
    reason: (await new SqlErasures(database).pending()).map(({ waitsBecause }) => waitsBecause),
  };
  const profile = await new SqlProfileStore(database).find(shop.projectId, userKeyOf(shop.projectId, 'ada'));
  restore();
  await expect.poll(async () => (await jobs.list(1, {}))[0]?.state, PATIENCE).toBe('done');
  await watch.stop();

  const reason = 'ClickHouse cannot be reached';
  expect(during).toEqual({ pending: 2, reason: [reason, reason] });
  expect(await jobs.list(10, {})).toMatchObject([{ state: 'done', failure: null }]);
  expect(profile).toBeUndefined();
  expect(await scene.rowsOf(shop.projectId, 'ada')).toEqual({});
  expect(await new SqlErasures(database).pending()).toEqual([]);
  expect(await metrics.text()).toContain('tidemark_erasures_oldest_seconds 0');
});
