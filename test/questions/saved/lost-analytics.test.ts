import { expect, test, vi } from 'vitest';
import { AudienceScheduler } from '../../../services/questions/saved/audience-scheduler.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { LiveGenerations } from '../../../services/stores/generations/live-generations.ts';
import { LostAnalytics } from '../../../services/stores/generations/lost-analytics.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { AMPLE, MessageMaker } from '../../support/stores/analytics.ts';
import { EMBEDDED } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { sinkBench } from '../../support/service/sink.ts';

const PATIENCE = { timeout: 30_000, interval: 20 };
const BEHIND = { code: 'WAITING_FOR_ANALYTICS', retryable: true };
const silent = { info: () => undefined, warn: () => undefined };

const database = sharedDatabase();
const bench = sinkBench(EMBEDDED, database);

/** An audience of ten users whom the sink has inserted. */
async function audienceOfTen() {
  const projects = new SqlProjectStore(database());
  const { id: projectId } = await projects.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
  const store = new SqlAudienceStore(database(), 100);
  const { store: history } = bench().analytics;
  const losses = new LostAnalytics(database(), history, new LiveGenerations(database()));
  const parts = { store, projects, history, losses, limits: AMPLE, logger: silent };
  const maker = new MessageMaker(projectId);
  bench().put(Array.from({ length: 10 }, (_, n) => maker.identify({ userId: `u${n}`, traits: '{"plan":"pro"}' })));
  const sink = bench().run();
  await vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
  const definition = '{"trait":"plan","is":"pro"}';
  const { id } = await store.create(projectId, { name: 'Pro', definition, refreshMs: 60_000 });
  const scheduler = new AudienceScheduler({ ...parts, everyMs: 5 });
  await scheduler.evaluate(projectId, id);
  return {
    maker,
    sink,
    scheduler,
    find: () => store.find(projectId, id),
    evaluate: () => scheduler.evaluate(projectId, id),
  };
}

test('nobody leaves an audience because analytics lost rows: it waits for the end that the log had when that was noticed', async () => {
  const { maker, sink, find, evaluate } = await audienceOfTen();
  await sink.stop();
  await bench().analytics.store.dropGeneration(1);
  bench().put([maker.identify({ userId: 'later', traits: '{"plan":"pro"}' })]);

  await expect(evaluate()).rejects.toMatchObject(BEHIND);
  expect(await find()).toMatchObject({ failure: BEHIND.code, evaluation: { members: 10, left: 0 } });

  // One message an insert, and the last is not inserted.
  const going = Promise.withResolvers<void>();
  let inserts = 0;
  bench().analytics.before = (ranges) => (ranges.length === 0 && ++inserts > 20 ? going.promise : undefined);
  bench().run({ maxRows: 1 });
  await vi.waitFor(() => expect(inserts).toBeGreaterThan(20), PATIENCE);
  await expect(evaluate()).rejects.toMatchObject(BEHIND);

  going.resolve();
  await vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
  expect(await evaluate()).toMatchObject({ failure: null, evaluation: { members: 11, entered: 1, left: 0 } });
}, 120_000);

test('a scheduled evaluation waits as well, and is done once analytics has all again', async () => {
  const { sink, scheduler, find } = await audienceOfTen();
  await sink.stop();
  await bench().analytics.store.dropGeneration(1);
  await database().script('update audiences set due_at_ms = 0');

  scheduler.start();
  await vi.waitFor(async () => expect(await find()).toMatchObject({ failure: BEHIND.code }), PATIENCE);
  bench().run();
  await vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
  await database().script('update audiences set due_at_ms = 0');
  await vi.waitFor(async () => expect(await find()).toMatchObject({ failure: null }), PATIENCE);
  await scheduler.stop();

  expect(await find()).toMatchObject({ evaluation: { members: 10, entered: 0, left: 0 } });
}, 120_000);
