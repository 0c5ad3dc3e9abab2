import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../../services/messages/message.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { serverUrl } from '../../servers/server.ts';
import { type Shards, startShards } from '../../servers/shards.ts';
import { LiveScene } from '../../support/live/live-scene.ts';
import { expectMembers, savedIn } from '../../support/live/live-steps.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import type { FreshDatabase } from '../../support/stores/fresh-database.ts';
import { freshShards, shardUrls } from '../../support/stores/fresh-shards.ts';

const HOUR = 3_600_000_000n;
const FOLLOWED = [
  '{"event":"Bought","within":{"last":"2h"}}',
  '{"all":[{"event":"Bought","count":{"at_least":2}},{"not":{"trait":"plan","is":"pro"}}]}',
  '{"any":[{"trait":"plan","is":"pro"},{"all":[{"event":"Seen"},{"not":{"event":"Seen","within":{"last":"1h"}}}]}]}',
];

const isHere = (await serverUrl('clickhouse-shards')) !== undefined;

describe.skipIf(!isHere)('live audiences on two shards of ClickHouse', () => {
  const profiles = sharedDatabase();
  let folder: string;
  let shards: Shards;
  let database: FreshDatabase;
  let analytics: AnalyticsStore;
  let scene: LiveScene | undefined;
  beforeAll(async () => {
    folder = await serversFolder();
    shards = await startShards({ folder, shards: 2 });
    database = await freshShards('two', shards.url);
    analytics = await openAnalytics(database.url);
  });
  afterEach(() => scene?.stop());
  afterAll(async () => {
    await analytics?.close();
    await shards?.stop();
    await removeServersFolder(folder);
  });

  test(
    'nobody enters or leaves twice or is missed while each server is killed, and the process that follows is overtaken',
    { timeout: 240_000 },
    async () => {
      const make = new MessageMaker(randomProjectId());
      scene = await LiveScene.begin(analytics, profiles(), make.projectId);
      await scene.insert(roundOf(make, 0));
      scene.startTwo();
      const audiences = await savedIn(scene, FOLLOWED);
      await expectMembers(scene, audiences);

      for (const [index, server] of shards.servers.toReversed().entries()) {
        const messages = roundOf(make, 2 * index + 1);
        await server.kill();
        await expect(scene.insert(messages)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        await server.start();
        scene.putForward(HOUR);
        await scene.insert(messages);
        await expectMembers(scene, audiences);

        await scene.overtake();
        await scene.insert(roundOf(make, 2 * index + 2));
        await expectMembers(scene, audiences);
      }
      for (const id of audiences.keys())
        for (const { evaluation } of await scene.evaluate(id))
          expect(evaluation).toMatchObject({ entered: 0, left: 0 });
    },
  );

  test('where shards have weights, each is asked about everybody', async () => {
    const url = database.url.replace('cluster=two', 'cluster=uneven').replace('/test_', '/test_uneven_');
    const uneven = await openAnalytics(url);
    onTestFinished(() => uneven.close());
    const make = new MessageMaker(randomProjectId());
    scene = await LiveScene.begin(uneven, profiles(), make.projectId);
    scene.start();
    const audiences = await savedIn(scene, FOLLOWED);
    await scene.insert(roundOf(make, 0));

    await expectMembers(scene, audiences);
  });

  test('what ticks read of a user is on the shard of the user', async () => {
    const make = new MessageMaker(randomProjectId());
    scene = await LiveScene.begin(analytics, profiles(), make.projectId);
    await scene.insert(roundOf(make, 0));

    for (const [index, url] of (await shardUrls(database)).entries())
      for (const table of ['user_track_rows', 'user_trait_rows', 'user_rows']) {
        const sql = `SELECT groupUniqArray(toUInt8(user % 2)) FROM ${table} WHERE project_id = '${make.projectId}'`;
        expect([table, await askServer(url, sql)]).toEqual([table, [`[${index}]`]]);
      }
  });
});

/** Each user does something else, some of it a while ago. */
function roundOf(make: MessageMaker, round: number): readonly Message[] {
  const now = BigInt(Date.now()) * 1000n;
  return Array.from({ length: 30 }, (_, index) => {
    const [userId, kind] = [`user ${index}`, (index + round) % 3];
    const timestamp = now - (BigInt(index % 5) * HOUR) / 2n;
    if (kind === 1) return make.identify({ userId, timestamp, traits: `{"plan":"${index % 2 ? 'pro' : 'free'}"}` });
    return make.track({ userId, timestamp, event: kind === 0 ? 'Bought' : 'Seen' });
  });
}
