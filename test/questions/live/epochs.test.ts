import { beforeEach, describe, expect, test } from 'vitest';
import { SqlLiveStore } from '../../../services/questions/live/sql-live-store.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const MINUTE = 60_000_000n;

describe('the store of live audiences', () => {
  const database = sharedDatabase();
  let store: SqlLiveStore;
  let saved: SqlAudienceStore;
  let projectId: string;
  beforeEach(async () => {
    await database().script('truncate projects, api_keys, audiences, live_epochs cascade');
    store = new SqlLiveStore(database());
    saved = new SqlAudienceStore(database(), 100);
    const project = { name: 'Shop', timezone: 'UTC', rateLimit: null };
    ({ id: projectId } = await new SqlProjectStore(database()).createProject(project));
  });

  test('whoever opens an epoch closes that of the one before, who then changes nothing', async () => {
    const first = await store.open();
    expect(await store.advance(first.epoch, 10n, [])).toBe(true);
    const second = await store.open();

    expect(second).toEqual({ epoch: first.epoch + 1n, through: 10n });
    expect(await store.advance(first.epoch, 20n, [])).toBe(false);
    await expect(store.reopen(first.epoch)).rejects.toMatchObject({ code: 'AUDIENCE_BUSY' });
    expect(await saved.liveEpochs()).toEqual([
      { epoch: first.epoch, through: 10n },
      { epoch: second.epoch, through: 10n },
    ]);
  });

  test('an epoch in doubt ends where it had come, and audiences go on in the next', async () => {
    const { epoch } = await store.open();
    const id = await following(epoch);
    await store.advance(epoch, 30n, []);
    const next = await store.reopen(epoch);

    expect(next).toEqual({ epoch: epoch + 1n, through: 30n });
    expect(await store.advance(epoch, 40n, [])).toBe(false);
    expect(await store.advance(next.epoch, 50n, [])).toBe(true);
    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: 50n });
  });

  test('an audience is no further than when it was last to be evaluated, until it follows again', async () => {
    const { epoch } = await store.open();
    const id = await following(epoch);
    await store.advance(epoch, 30n, []);
    await store.makeDue([id], 0);
    await store.advance(epoch, 60n, []);

    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: 30n });
    expect(await store.join(id, 1, epoch)).toBe(false);
    await store.follow(id, 1);
    expect(await store.join(id, 2, epoch)).toBe(false);
    expect(await store.join(id, 1, epoch)).toBe(true);
    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: 60n });
  });

  test('an evaluation is later than what the audience has followed, and stops it there', async () => {
    const { epoch } = await store.open();
    const id = await following(epoch);
    const ahead = BigInt(Date.now() + 3_600_000) * 1000n;
    await store.advance(epoch, ahead, []);

    const claim = await saved.claim(projectId, id, 60_000);
    await store.advance(epoch, ahead + 5n, []);

    expect(claim.at).toBe(ahead + 1n);
    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: ahead });
  });

  test('a history has a row for each minute, with all who entered and left in it', async () => {
    const { epoch } = await store.open();
    const id = await following(epoch);
    await database().query('update audiences set members = 7 where id = $1', [id]);
    for (const at of [MINUTE, MINUTE + 1n, 2n * MINUTE])
      await store.advance(epoch, at, [{ audienceId: id, version: 1, entered: 3, left: 1 }]);

    const common = { version: 1, cause: 'live' };
    expect(await saved.evaluations(projectId, id, { limit: 10 })).toEqual([
      { ...common, at: 2n * MINUTE, entered: 3, left: 1, members: 13 },
      { ...common, at: MINUTE + 1n, entered: 6, left: 2, members: 11 },
    ]);
    expect(await saved.changesReadableAt([id])).toEqual(new Map([[id, 2n * MINUTE]]));
  });

  async function following(epoch: bigint): Promise<string> {
    const definition = '{"trait":"plan","is":"pro"}';
    const { id } = await saved.create(projectId, { name: 'Pro', definition, refreshMs: null, isLive: true });
    await store.follow(id, 1);
    expect(await store.join(id, 1, epoch)).toBe(true);
    return id;
  }
});
