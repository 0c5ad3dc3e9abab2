import { expect, onTestFinished, test } from 'vitest';
import { ErasureMetrics, ErasureWatch } from '../../../services/operations/erasure/erasure-watch.ts';
import type { Job } from '../../../services/operations/jobs/job.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import { ForgettingScene, JOB } from './forgetting-scene.ts';

const PATIENCE = { timeout: 60_000, interval: 20 };

const installation = sharedInstallation('embedded');
const scene = new ForgettingScene(installation);

/** Fails until it is called. */
function outageOf(analytics: AnalyticsStore): () => void {
  const { forget } = analytics;
  analytics.forget = () => Promise.reject(new TidemarkError('STORE_UNAVAILABLE', 'ClickHouse cannot be reached'));
  return () => (analytics.forget = forget);
}

/** Jobs that are carried out one after another, and what became of each. */
function jobsOf(ends: Job[]) {
  let last: Job | undefined;
  const start = async (): Promise<Job> => {
    const job = (last = { ...JOB, state: 'running' });
    const end = (state: Job['state']): void => void ends.push((last = { ...JOB, state }));
    void scene.forget().then(
      () => end('done'),
      () => end('failed'),
    );
    return job;
  };
  return { start, list: async () => (last === undefined ? [] : [last]) };
}

test('while a store is down in the midst the job is begun again and again, and ends once the store is there', async () => {
  const { database, analytics } = installation();
  const shop = await scene.projectWithPeople('An outage');
  await scene.request(shop.projectId, ['ada']);
  const [ends, metrics] = [[] as Job[], new ErasureMetrics(database)];
  const restore = outageOf(analytics);
  const jobs = jobsOf(ends);
  const watch = new ErasureWatch({ database, jobs, logger: { warn: () => undefined }, lookEveryMs: 1 });
  onTestFinished(() => watch.stop());

  watch.start();
  await expect.poll(() => ends.length, PATIENCE).toBeGreaterThan(3);
  const during = {
    pending: (await new SqlErasures(database).pending()).length,
    states: ends.map(({ state }) => state),
  };
  const profile = await new SqlProfileStore(database).find(shop.projectId, userKeyOf(shop.projectId, 'ada'));
  restore();
  await expect.poll(() => ends.at(-1)?.state, PATIENCE).toBe('done');
  await watch.stop();

  expect(during).toMatchObject({ pending: 2 });
  expect(new Set(during.states)).toEqual(new Set(['failed']));
  expect(profile).toBeUndefined();
  expect(await scene.rowsOf(shop.projectId, 'ada')).toEqual({});
  expect(await new SqlErasures(database).pending()).toEqual([]);
  expect(await metrics.text()).toContain('tidemark_erasures_oldest_seconds 0');
});
