import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnalyticsStore } from '../../../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../../../services/stores/analytics/columns.ts';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { serverUrl } from '../../../servers/server.ts';
import { ask, insert, MessageMaker, rowsFor } from '../../../support/stores/analytics.ts';
import { askServer } from '../../../support/stores/clickhouse.ts';
import type { FreshDatabase } from '../../../support/stores/fresh-database.ts';
import { freshShards, shardUrls } from '../../../support/stores/fresh-shards.ts';

const isHere = (await serverUrl('clickhouse-shards')) !== undefined;

describe.skipIf(!isHere)('the users of a database of shards', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshShards('two');
  });
  afterEach(() => database.drop());

  const maker = new MessageMaker();
  const messages = Array.from({ length: 30 }, (_, index) => maker.track({ userId: `u${index}` }));
  const inCluster = (name: string, of = database.url): string => of.replace(/cluster=\w+/, `cluster=${name}`);
  /** What each server has, by the lowest bits of users. */
  const found = async (local: string, shards: readonly string[]): Promise<unknown> =>
    Promise.all(shards.map((url) => askServer(url, `SELECT ${local} FROM track_rows`)));
  const opened = async (url: string, run: (store: AnalyticsStore) => Promise<void>): Promise<void> => {
    const store = await openAnalytics(url);
    try {
      await run(store);
    } finally {
      await store.close();
    }
  };

  test('each user is on the shard of the number, and is sought there alone', async () => {
    await opened(database.url, async (store) => {
      await insert(store, messages);

      const shards = await shardUrls(database);
      expect(await found('groupUniqArray(toUInt8(user % 2))', shards)).toEqual([['[0]'], ['[1]']]);
      // A trait that lies on the other shard is not found by a user's events: the sets are of one shard.
      const { userKey, projectId } = maker.track({ userId: 'u1' });
      const other = shards[1 - Number(BigInt(userNumber(userKey)) % 2n)] ?? '';
      await askServer(
        other,
        `INSERT INTO trait_rows (project_id, trait, user) VALUES ('${projectId}', 'x', ${userNumber(userKey)})`,
      );
      const sql = `SELECT count() AS n FROM track_rows WHERE project_id = {p:String}
                   AND user IN (SELECT user FROM trait_rows WHERE project_id = {p:String} AND trait = 'x')`;
      expect(await ask(store, sql, { p: projectId })).toEqual([{ n: '0' }]);
    });
  });

  test('a server that is added takes no user of a database before it, and its share of the next generation', async () => {
    await opened(database.url, (store) => insert(store, messages));

    await opened(inCluster('three'), async (store) => {
      await insert(store, [maker.track({ userId: 'u1' })]);
      await store.makeGeneration(2);
      await insert(await store.ofGeneration(2), messages);

      const shards = await shardUrls({ url: inCluster('three') });
      expect(await found('groupUniqArray(toUInt8(user % 2))', shards)).toEqual([['[0]'], ['[1]'], ['[]']]);
      const next = shards.map((url) => url.replace('_local', '_g2_local'));
      expect(await found('groupUniqArray(toUInt8(user % 3))', next)).toEqual([['[0]'], ['[1]'], ['[2]']]);
      expect(await ask(store, 'SELECT count() AS n FROM events')).toEqual([{ n: '31' }]);
    });
    await openedBefore(inCluster('three'));
  });

  const openedBefore = (url: string): Promise<void> => opened(url, async (store) => store.check());

  test.each([0, 1])(
    'after shard %i has come back empty, nothing counts as ingested: the sink reads the log again',
    async (lost) => {
      const at = { topic: 'tidemark.track', partition: 0 };
      const range = { ...at, from: 0n, to: { ...at, offset: 30n, identity: 'f' } };
      await opened(database.url, (store) => store.insert([range], rowsFor(messages)));
      await opened(database.url, async (store) => {
        expect(await store.ingestedUpTo([at])).toMatchObject([{ offset: 30n }]);
      });
      const url = (await shardUrls(database))[lost] ?? '';
      const name = new URL(url).pathname.slice(1);
      for (const gone of [name, name.replace('_local', '')])
        await askServer(url.replace(name, 'default'), `DROP DATABASE ${gone} SYNC`);

      await opened(database.url, async (store) => {
        expect(await store.ingestedUpTo([at])).toMatchObject([{ offset: 0n }]);
        await store.insert([range], rowsFor(messages));
        expect(await ask(store, 'SELECT count() AS n FROM events')).toEqual([{ n: '30' }]);
      });
    },
  );

  test('shards that are fewer, or in another order, are refused', async () => {
    await openedBefore(inCluster('three'));
    const [first = ''] = await shardUrls(database);

    await expect(openAnalytics(database.url)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const name = new URL(first).pathname.slice(1);
    await askServer(first.replace(name, 'default'), `ALTER DATABASE ${name} MODIFY COMMENT 'shard 2'`);
    await expect(openAnalytics(inCluster('three'))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('as shard 2, which is now shard 1'),
    });
  });

  test('a database of one server and one of shards are not taken for each other', async () => {
    const alone = new URL(database.url);
    alone.search = '';
    await openedBefore(alone.href);

    await expect(openAnalytics(database.url)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await database.drop();
    await openedBefore(database.url);
    await expect(openAnalytics(alone.href)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
