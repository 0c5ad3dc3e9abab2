import { beforeEach, describe, expect, test } from 'vitest';
import { EpochFolder } from '../../../services/questions/live/epoch-folder.ts';
import { SqlLiveStore } from '../../../services/questions/live/sql-live-store.ts';
import { SqlTouches } from '../../../services/questions/live/sql-touches.ts';
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
    const first = await store.open(true);
    expect(await store.advance(first.epoch, 10n, [])).toBe(true);
    const second = await store.open(true);

    expect(second).toEqual({ epoch: first.epoch + 1n, through: 10n });
    expect(await store.advance(first.epoch, 20n, [])).toBe(false);
    await expect(store.reopen(first.epoch)).rejects.toMatchObject({ code: 'AUDIENCE_BUSY' });
    expect(await saved.liveEpochs()).toEqual([
      { epoch: first.epoch, through: 10n },
      { epoch: second.epoch, through: 10n },
    ]);
  });

  test('nobody opens another epoch while one is held, unless by force, and somebody does at once when it is released', async () => {
    const { epoch } = await store.open(true);
    await expect(store.open(false)).rejects.toMatchObject({ code: 'AUDIENCE_BUSY' });
    expect(await store.renew(epoch)).toBe(true);
    await store.release(epoch);

    const next = await store.open(false);

    expect(next.epoch).toBe(epoch + 1n);
    expect(await store.renew(epoch)).toBe(false);
    await database().query('update live_epochs set held_until_ms = 1 where epoch = $1', [next.epoch]);
    expect(await store.open(false)).toMatchObject({ epoch: next.epoch + 1n });
  });

  test('a live audience is claimed by whoever has the open epoch, also when it is live no more', async () => {
    const { epoch } = await store.open(true);
    const { id } = await saved.create(projectId, { name: 'Live', definition: '{}', refreshMs: null, isLive: true });
    const claimedBy = async (by: bigint | null) => {
      const claim = await saved.claimDue(60_000, '', by);
      if (claim !== undefined) await saved.release(claim);
      return claim?.audience.id;
    };
    expect([await claimedBy(0n), await claimedBy(epoch - 1n), await claimedBy(epoch)]).toEqual([
      undefined,
      undefined,
      id,
    ]);
    await expect(saved.claim(projectId, id, 60_000, 0n)).rejects.toMatchObject({ code: 'AUDIENCE_BUSY' });

    await saved.update(projectId, id, { refreshMs: 60_000 });
    expect([await claimedBy(0n), await claimedBy(epoch), await claimedBy(0n)]).toEqual([undefined, id, id]);
    await saved.update(projectId, id, { refreshMs: null, isLive: true });
    const next = await store.open(true);

    // Where nobody follows audiences, anybody evaluates them.
    expect([await claimedBy(epoch), await claimedBy(next.epoch), await claimedBy(null)]).toEqual([undefined, id, id]);
  });

  test('who has lost the epoch begins to follow nothing', async () => {
    const { epoch } = await store.open(true);
    const { id } = await saved.create(projectId, { name: 'Live', definition: '{}', refreshMs: null, isLive: true });
    const next = await store.open(true);

    expect(await store.follow(id, 1, epoch)).toBe(false);
    expect(await store.follow(id, 1, next.epoch)).toBe(true);
    expect(await store.join(id, 1, epoch)).toBe(false);
    expect(await store.join(id, 1, next.epoch)).toBe(true);
  });

  test('what a sink notes stays until who has the open epoch drops it, and is gone with the epoch', async () => {
    const touches = new SqlTouches(database());
    const users = [
      { projectId, userKey: 'a', names: { events: new Set(['Paid', 'constructor']), traits: new Set(['plan']) } },
      { projectId, userKey: 'b', names: null },
      { projectId, userKey: 'c', names: null, joinChange: { cause: 'parted', person: 'd' } as const },
    ];
    const { epoch } = await store.open(true);
    expect(await touches.areWanted()).toBe(false);
    await saved.create(projectId, { name: 'Live', definition: '{}', refreshMs: null, isLive: true });
    expect(await touches.areWanted()).toBe(true);

    await touches.write(3, users);
    const noted = await touches.read();
    const ids = noted.map(({ id }) => id);
    await touches.drop(ids, epoch - 1n);
    expect(noted).toEqual([{ id: expect.any(BigInt), generation: 3, users }]);
    expect(await touches.read()).toEqual(noted);
    await touches.drop(ids, epoch);
    expect(await touches.read()).toEqual([]);

    const many = Array.from({ length: 25_000 }, (_, index) => ({ projectId, userKey: `u${index}`, names: null }));
    await touches.write(3, many);
    expect((await touches.read()).flatMap((one) => one.users)).toEqual(many);
    await store.open(true);
    expect(await touches.read()).toEqual([]);
  });

  test('an epoch in doubt ends where it had come, and audiences go on in the next', async () => {
    const { epoch } = await store.open(true);
    const id = await following(epoch);
    await store.advance(epoch, 30n, []);
    const next = await store.reopen(epoch);

    expect(next).toEqual({ epoch: epoch + 1n, through: 30n });
    expect(await store.advance(epoch, 40n, [])).toBe(false);
    expect(await store.advance(next.epoch, 50n, [])).toBe(true);
    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: 50n });
  });

  test('an audience is no further than when it was last to be evaluated, until it follows again', async () => {
    const { epoch } = await store.open(true);
    const id = await following(epoch);
    await store.advance(epoch, 30n, []);
    await store.makeDue([id], 0);
    await store.advance(epoch, 60n, []);

    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: 30n });
    expect(await store.join(id, 1, epoch)).toBe(false);
    await store.follow(id, 1, epoch);
    expect(await store.join(id, 2, epoch)).toBe(false);
    expect(await store.join(id, 1, epoch)).toBe(true);
    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: 60n });
  });

  test('an evaluation is later than what the audience has followed, and stops it there', async () => {
    const { epoch } = await store.open(true);
    const id = await following(epoch);
    const ahead = BigInt(Date.now() + 3_600_000) * 1000n;
    await store.advance(epoch, ahead, []);

    const claim = await saved.claim(projectId, id, 60_000);
    await store.advance(epoch, ahead + 5n, []);

    expect(claim.at).toBe(ahead + 1n);
    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: ahead });
  });

  test('a history has a row for each minute, with all who entered and left in it', async () => {
    const { epoch } = await store.open(true);
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

  test('epochs that are over become one, and no audience goes back', async () => {
    const first = await store.open(true);
    const id = await following(first.epoch);
    await store.advance(first.epoch, 10n, []);
    const second = await store.open(true);
    await store.advance(second.epoch, 20n, []);
    const third = await store.open(true);
    await store.advance(third.epoch, 30n, []);

    expect(await store.closedEpochs(60_000)).toEqual([]);
    expect(await store.closedEpochs(0)).toEqual([
      { epoch: first.epoch, through: 10n },
      { epoch: second.epoch, through: 20n },
    ]);
    await store.fold(second.epoch);

    expect(await saved.liveEpochs()).toEqual([
      { epoch: second.epoch, through: 20n },
      { epoch: third.epoch, through: 30n },
    ]);
    expect(await saved.find(projectId, id)).toMatchObject({ liveThrough: 10n });
  });

  test('the changes that never count are gone before their epochs are, and a failure leaves the epochs', async () => {
    for (let starts = 0; starts < 3; starts++) await store.open(true);
    const closed = await store.closedEpochs(0);
    const dropped: unknown[] = [];
    const logger = { warn: () => undefined };
    const failing = { dropUncounted: () => Promise.reject(new Error('not now')) };
    const dropping = { dropUncounted: async (...args: unknown[]) => void dropped.push(args, await saved.liveEpochs()) };

    await expect(new EpochFolder({ store, history: failing, logger }).fold(0)).rejects.toThrow('not now');
    expect(await saved.liveEpochs()).toHaveLength(3);
    await new EpochFolder({ store, history: dropping, logger }).fold(0);

    expect(dropped).toEqual([[closed], expect.toSatisfy((epochs: unknown[]) => epochs.length === 3)]);
    expect(await saved.liveEpochs()).toHaveLength(2);
    await new EpochFolder({ store, history: failing, logger }).fold(0);
  });

  async function following(epoch: bigint): Promise<string> {
    const definition = '{"trait":"plan","is":"pro"}';
    const { id } = await saved.create(projectId, { name: 'Pro', definition, refreshMs: null, isLive: true });
    await store.follow(id, 1, epoch);
    expect(await store.join(id, 1, epoch)).toBe(true);
    return id;
  }
});
