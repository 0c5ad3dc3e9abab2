import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { removeServersFolder, serversFolder } from '../../../servers/processes/reaped.ts';
import { serverUrl } from '../../../servers/server.ts';
import { type Shards, startShards } from '../../../servers/shards.ts';
import { ask, insert, MessageMaker, rowsFor } from '../../../support/stores/analytics.ts';
import { askServer } from '../../../support/stores/clickhouse.ts';
import { placeCluster } from '../../../support/stores/new-stores.ts';
import { freshShards, shardUrls } from '../../../support/stores/fresh-shards.ts';
import { identify, track } from '../../../support/messages/messages.ts';
import { randomProjectId } from '../../../support/messages/random-project.ts';
import { ReplayScene } from '../../../support/service/replay-scene.ts';

const USERS = Array.from({ length: 40 }, (_, index) => `u${index}`);
const isHere = (await serverUrl('clickhouse-shards')) !== undefined;

describe.skipIf(!isHere)('a shard of ClickHouse that is down', () => {
  let folder: string;
  let shards: Shards;
  beforeAll(async () => {
    folder = await serversFolder();
    shards = await startShards({ folder, shards: 2 });
  });
  beforeEach(() => Promise.all(shards.servers.map((server) => server.start())));
  afterAll(async () => {
    await shards?.stop();
    await removeServersFolder(folder);
  });

  const lines = async (sql: string, urls: readonly string[]): Promise<readonly number[]> =>
    (await Promise.all(urls.map((url) => askServer(url, sql)))).map(([line]) => Number(line));

  test('an insert that a shard misses is refused, and once it is repeated each row is there once, unmerged', async () => {
    const database = await freshShards('two', shards.url);
    const store = await openAnalytics(database.url);
    const urls = await shardUrls(database);
    const maker = new MessageMaker();
    const history = USERS.flatMap((userId) => [maker.track({ userId }), maker.identify({ userId, traits: '{"a":1}' })]);
    const to = { topic: 't', partition: 0, offset: BigInt(history.length), identity: 'x' };
    const again = (): Promise<void> => store.insert([{ ...to, from: 0n, to }], rowsFor(history));
    await shards.servers[1]?.kill();

    await expect(again()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    await shards.servers[1]?.start();
    for (const url of urls) await askServer(url, 'SYSTEM STOP MERGES');
    await again();
    await again();

    const tables = ['track_rows', 'user_track_rows', 'trait_rows', 'trait_value_rows', 'user_rows', 'user_id_rows'];
    for (const table of tables) {
      const [first = 0, second = 0] = await lines(`SELECT count() FROM ${table}`, urls);
      expect([table, Math.min(first, second) > 0, first + second]).toEqual([table, true, USERS.length]);
    }
    expect(await store.ingestedUpTo([to])).toEqual([to]);
    await store.close();
    for (const url of urls) await askServer(url, 'SYSTEM START MERGES');
    await database.drop();
  });

  test('questions say which shard is missing while it is, and are answered when it is back', async () => {
    const database = await freshShards('two', shards.url);
    const store = await openAnalytics(database.url);
    const maker = new MessageMaker();
    await insert(
      store,
      USERS.map((userId) => maker.track({ userId })),
    );
    const count = () =>
      ask(store, 'SELECT count() AS n FROM events WHERE project_id = {p:String}', { p: maker.projectId });
    await shards.servers[1]?.kill();

    const missing = {
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/^ClickHouse cannot do it now: .* \(of the shard at 127\.0\.0\.2:\d+\)$/),
    };
    await expect(count()).rejects.toMatchObject(missing);
    await expect(store.check()).rejects.toMatchObject(missing);
    await expect(openAnalytics(database.url)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await shards.servers[1]?.start();

    expect(await count()).toEqual([{ n: String(USERS.length) }]);
    await store.check();
    await store.close();
    await database.drop();
  });

  test('readers lose and double nothing while a shard goes away and comes back', async () => {
    const local = await mkdtemp(join(tmpdir(), 'tidemark-'));
    await placeCluster(join(local, 'profiles'));
    const database = await freshShards('two', shards.url);
    const scene = await ReplayScene.open({
      EVENT_LOG_URL: `log:${local}/log`,
      PROFILES_URL: `pglite:${local}/profiles`,
      ANALYTICS_URL: database.url,
    });
    const projectId = randomProjectId();
    const rounds = async (): Promise<void> => {
      await scene.append(USERS.map((userId) => identify({ projectId, userId, traits: '{"plan":"pro"}' })));
      await scene.append(USERS.map((userId) => track({ projectId, userId, event: 'Bought' })));
    };
    scene.startReaders();
    await rounds();
    await scene.hasRead('analytics', 1);

    await shards.servers[1]?.kill();
    await rounds();
    await scene.hasRead('profiles', 1);
    await shards.servers[1]?.start();
    await rounds();
    await scene.hasRead('analytics', 1);

    const sql = `SELECT (SELECT count() FROM events WHERE project_id = {p:String}) AS events,
                        (SELECT count() FROM identifies WHERE project_id = {p:String}) AS identifies,
                        (SELECT count() FROM users WHERE project_id = {p:String}) AS users`;
    const [n, users] = [String(3 * USERS.length), String(USERS.length)];
    expect(await ask(scene.analytics, sql, { p: projectId })).toEqual([{ events: n, identifies: n, users }]);
    await scene.close();
    await database.drop();
    await rm(local, { recursive: true, force: true });
  });
});
