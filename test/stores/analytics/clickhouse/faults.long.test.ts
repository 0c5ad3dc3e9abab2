import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ClickHouse, startClickHouse } from '../../../servers/clickhouse.ts';
import { serverUrl } from '../../../servers/server.ts';
import { ask, MessageMaker } from '../../../support/stores/analytics.ts';
import { serverAt } from '../../../support/stores/analytics-stores.ts';
import { askServer } from '../../../support/stores/clickhouse.ts';
import { sinkBench } from '../../../support/service/sink.ts';

// Whether one can be started here at all.
const isPossible = (await serverUrl('clickhouse')) !== undefined;
const PATIENCE = { timeout: 50_000, interval: 50 };

describe.skipIf(!isPossible)('a sink whose ClickHouse', () => {
  let folder: string;
  let server: ClickHouse;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    server = await startClickHouse({ folder });
  });
  afterAll(async () => {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const bench = sinkBench({ open: () => serverAt(server.url).open() });

  /** Puts as many messages on the log: tracks and traits of a hundred users. */
  function put(maker: MessageMaker, count: number): void {
    const messages = Array.from({ length: count }, (_, n) => {
      const userId = `user ${n % 100}`;
      return n % 4 === 0 ? maker.identify({ userId, traits: `{"n":${n}}` }) : maker.track({ userId });
    });
    bench().put(messages);
  }

  function caughtUp(): Promise<void> {
    return vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
  }

  async function isInserting(): Promise<boolean> {
    const running = "SELECT count() FROM system.processes WHERE startsWith(query, 'INSERT INTO track_rows')";
    return Number((await askServer(server.url, running))[0]) > 0;
  }

  /** Every row by the views, and by each table counted itself. */
  async function expectCounts(maker: MessageMaker, tracks: number): Promise<void> {
    const sql = `SELECT (SELECT count() FROM events WHERE project_id = {p:String}) AS events,
                        (SELECT count() FROM user_track_rows FINAL WHERE project_id = {p:String}) AS by_user,
                        (SELECT count() FROM profile_traits WHERE project_id = {p:String}) AS traits,
                        (SELECT count() FROM users WHERE project_id = {p:String}) AS users`;
    expect(await ask(bench().analytics.store, sql, { p: maker.projectId })).toEqual([
      { events: String(tracks), by_user: String(tracks), traits: '25', users: '100' },
    ]);
  }

  test('a sink whose ClickHouse is unreachable for a while continues when it is reachable again, and each row counts once', async () => {
    const maker = new MessageMaker();
    put(maker, 1_000);
    bench().run({ maxRows: 400 });
    await vi.waitFor(() => expect(bench().inserts.length).toBeGreaterThan(0), PATIENCE);

    await server.kill();
    put(maker, 1_000);
    await vi.waitFor(() => expect(bench().lines.join()).toContain('waiting'), PATIENCE);
    await server.start();
    await caughtUp();

    await expectCounts(maker, 1_500);
    expect(bench().lines.filter((line) => line.includes('waiting'))).toHaveLength(1);
  }, 90_000);

  test('a sink whose ClickHouse is killed in the middle of inserts, again and again, has each row once', async () => {
    const maker = new MessageMaker();
    bench().run({ maxRows: 10_000 });

    for (let round = 0; round < 2; round++) {
      put(maker, 20_000);
      await vi.waitFor(async () => expect(await isInserting()).toBe(true), { timeout: 50_000, interval: 1 });
      await server.kill();
      await server.start();
    }
    await caughtUp();

    await expectCounts(maker, 30_000);
  }, 120_000);

  test('falls silent for a while has each row once', async () => {
    const maker = new MessageMaker();
    put(maker, 1_000);
    bench().run({ maxRows: 400 });
    await caughtUp();

    server.pause();
    const calls = bench().analytics.calls.length;
    put(maker, 1_000);
    await vi.waitFor(() => expect(bench().analytics.calls.length).toBeGreaterThan(calls), PATIENCE);
    server.resume();
    await caughtUp();

    await expectCounts(maker, 1_500);
  }, 90_000);
});
