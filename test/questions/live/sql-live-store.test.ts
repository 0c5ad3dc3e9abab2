import { expect, test } from 'vitest';
import { SqlLiveStore } from '../../../services/questions/live/sql-live-store.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { MAX_AUDIENCES } from '../../contract/audience-store.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const database = sharedDatabase();

/** A live audience that has begun to follow, and not joined the epoch yet. */
async function followingAudience() {
  const [live, saved] = [new SqlLiveStore(database()), new SqlAudienceStore(database(), MAX_AUDIENCES)];
  const { id: project } = await new SqlProjectStore(database()).createProject({
    name: 'Shop',
    timezone: 'UTC',
    rateLimit: null,
  });
  const given = { name: 'Gold', definition: '{"event":"Paid"}', refreshMs: null, isLive: true };
  const { id, version } = await saved.create(project, given);
  const { epoch } = await live.open(true);
  await live.follow(id, version, epoch);
  return { live, saved, project, id, version, epoch };
}

test('those who wait for changes learn of them when they can be read, and not before the audience has joined', async () => {
  const { live, saved, project, id, version, epoch } = await followingAudience();
  const [first, second] = [await live.now(0n), (await live.now(0n)) + 10n];
  const readable = async () => [
    (await saved.changesReadableAt([id])).get(id),
    (await saved.find(project, id))?.liveThrough,
  ];

  await live.advance(epoch, first, [{ audienceId: id, version, entered: 1, left: 0 }]);
  const before = await readable();
  await live.join(id, version, epoch);
  const joined = await readable();
  await live.advance(epoch, second, [{ audienceId: id, version, entered: 1, left: 0 }]);

  expect(before).toEqual([null, null]);
  expect(joined).toEqual([first, first]);
  expect(await readable()).toEqual([second, second]);
});

test('an audience is followed from when it joins the epoch until it is due again', async () => {
  const { live, saved, project, id, version, epoch } = await followingAudience();
  const isFollowed = async () => (await saved.find(project, id))?.isFollowed;

  const before = await isFollowed();
  await live.join(id, version, epoch);
  const joined = await isFollowed();
  await live.makeDue([id], 0);

  expect([before, joined, await isFollowed()]).toEqual([false, true, false]);
});
