import { expect, onTestFinished, test } from 'vitest';
import { AudienceScheduler } from '../../../services/questions/saved/audience-scheduler.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { AMPLE } from '../../support/stores/analytics.ts';
import { EMBEDDED, sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const HOUR_MS = 3_600_000;
const PATIENTLY = { timeout: 20_000 };
const silent = { info: () => undefined, warn: () => undefined };

const analytics = sharedStore(EMBEDDED);
const database = sharedDatabase();

test('nothing is evaluated while the clock is wrong, neither what is due nor what is asked for', async () => {
  const projects = new SqlProjectStore(database());
  const store = new SqlAudienceStore(database(), 100);
  const { id: projectId } = await projects.createProject({ name: 'Clock', timezone: 'UTC', rateLimit: null });
  const definition = '{"trait":"plan","is":"pro"}';
  const { id } = await store.create(projectId, { name: 'Pro', definition, refreshMs: HOUR_MS });
  const evaluation = async () => (await store.find(projectId, id))?.evaluation;
  let [looks, isWrong] = [0, true];
  const isClockWrong = (): Promise<boolean> => {
    looks++;
    return Promise.resolve(isWrong);
  };
  const losses = { expectNone: async () => undefined };
  const parts = { store, projects, history: analytics(), losses, limits: AMPLE, logger: silent };
  const scheduler = new AudienceScheduler({ ...parts, everyMs: 10, isClockWrong });
  onTestFinished(() => scheduler.stop());

  scheduler.start();
  await expect.poll(() => looks, PATIENTLY).toBeGreaterThan(2);
  await expect(scheduler.evaluate(projectId, id)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await evaluation()).toBeNull();
  isWrong = false;

  await expect.poll(evaluation, PATIENTLY).toMatchObject({ cause: 'first', members: 0 });
});

test('no warning is logged where the thread that knows the clock has stopped with the service', async () => {
  const lines: unknown[] = [];
  const logger = { ...silent, warn: (...line: unknown[]) => void lines.push(line) };
  let looks = 0;
  const isClockWrong = (): Promise<boolean> => {
    looks++;
    return Promise.reject(new TidemarkError('STOPPING', 'the HTTP thread has ended'));
  };
  const projects = new SqlProjectStore(database());
  const store = new SqlAudienceStore(database(), 100);
  const losses = { expectNone: async () => undefined };
  const parts = { store, projects, history: analytics(), losses, limits: AMPLE, logger };
  const scheduler = new AudienceScheduler({ ...parts, everyMs: 10, isClockWrong });
  onTestFinished(() => scheduler.stop());

  scheduler.start();

  await expect.poll(() => looks, PATIENTLY).toBeGreaterThan(2);
  expect(lines).toEqual([]);
});
