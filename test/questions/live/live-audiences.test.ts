import { afterEach, describe, expect, test } from 'vitest';
import { pause } from '../../../services/runtime/pause.ts';
import { projectDeletion } from '../../../services/stores/projects/delete-project.ts';
import { LiveScene } from '../../support/live/live-scene.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { EMBEDDED, sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const HOUR = 3_600_000_000n;
const PATIENCE = { timeout: 30_000 };

describe('live audiences beside the rest of the service', () => {
  const analytics = sharedStore(EMBEDDED);
  const database = sharedDatabase();
  let scene: LiveScene;
  afterEach(() => scene.stop());

  test('the audiences of a project that is deleted are followed no more, and nothing is written for them', async () => {
    const make = new MessageMaker('proj_deleted');
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    scene.start();
    const { id } = await scene.save('Buyers', '{"event":"Bought"}');
    await scene.insert([make.track({ userId: 'ada', event: 'Bought' })]);
    await scene.upToNow([id]);
    await expect.poll(() => scene.members(id), PATIENCE).toHaveProperty('size', 1);

    await projectDeletion(database()).delete(make.projectId, 'Shop', 'local');
    await expect.poll(() => scene.follows, PATIENCE).toEqual([0, false]);
    await scene.insert([make.track({ userId: 'bob', event: 'Bought' })]);

    expect(await scene.members(id)).toHaveProperty('size', 1);
  });

  test('whom time changes between an evaluation and the first tick after it has left', async () => {
    const make = new MessageMaker();
    const now = BigInt(Date.now()) * 1000n;
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    await scene.insert([
      make.track({ userId: 'ada', event: 'Bought', timestamp: now - HOUR }),
      make.track({ userId: 'bob', event: 'Bought', timestamp: now }),
    ]);
    const [ada, bob] = scene.messages.map(({ userKey }) => userKey);
    // The evaluation is now, and ticks come later than this.
    scene.putForward(90n * (HOUR / 60n));
    scene.start();
    const soon = await scene.save('Soon', '{"event":"Bought","within":{"last":"2h"}}');
    const others = await scene.save('Others', '{"not":{"event":"Bought","within":{"last":"2h"}}}');
    const found = await scene.upToNow([soon.id, others.id]);

    const members = (id: string) => scene.folded(id, found.get(id)?.liveThrough ?? 0n);
    expect([await members(soon.id), await members(others.id)]).toEqual([new Set([bob]), new Set([ada])]);
  });

  test('a tick goes by the members of the tick before, which are not written yet', async () => {
    const make = new MessageMaker(randomProjectId());
    const now = BigInt(Date.now()) * 1000n;
    const opening = Promise.withResolvers<void>();
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    scene.start();
    const { id } = await scene.save('Buyers', '{"event":"Bought","within":{"last":"2h"}}');
    await scene.upToNow([id]);
    const folded = async () => scene.folded(id, (await scene.upToNow([id])).get(id)?.liveThrough ?? 0n);
    scene.membersGate = opening.promise;

    const ada = make.track({ userId: 'ada', event: 'Bought', timestamp: now - HOUR });
    await scene.insert([ada]);
    await expect.poll(folded, PATIENCE).toEqual(new Set([ada.userKey]));
    // Neither enters again nor leaves.
    await scene.insert([make.track({ userId: 'ada', event: 'Bought', timestamp: now - HOUR })]);
    expect(await folded()).toEqual(new Set([ada.userKey]));
    expect(await scene.members(id)).toEqual(new Set());
    // What time changes waits for the members.
    scene.putForward(3n * HOUR);
    opening.resolve();

    await expect.poll(folded, PATIENCE).toEqual(new Set());
    await expect.poll(() => scene.members(id), PATIENCE).toEqual(new Set());
  });

  test('an audience that is edited before the members of the last tick are written has each of them once', async () => {
    const make = new MessageMaker(randomProjectId());
    const opening = Promise.withResolvers<void>();
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    scene.start();
    const { id } = await scene.save('Buyers', '{"event":"Bought"}');
    await scene.upToNow([id]);
    scene.membersGate = opening.promise;
    const ada = make.track({ userId: 'ada', event: 'Bought' });
    await scene.insert([ada]);
    const folded = async () => scene.folded(id, (await scene.upToNow([id])).get(id)?.liveThrough ?? 0n);
    await expect.poll(folded, PATIENCE).toEqual(new Set([ada.userKey]));

    const edited = await scene.edit(id, '{"any":[{"event":"Bought"},{"trait":"plan","is":"pro"}]}');
    await expect.poll(() => scene.follows, PATIENCE).toEqual([0, true]);
    opening.resolve();

    await scene.upToNow([edited.id]);
    expect(await folded()).toEqual(new Set([ada.userKey]));
  });

  test('one of two processes follows, each evaluates when it is asked to, and another goes on for who is overtaken', async () => {
    const make = new MessageMaker(randomProjectId());
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    scene.startTwo();
    const { id } = await scene.save('Buyers', '{"event":"Bought"}');
    await scene.upToNow([id]);
    const [ada, bob] = [make.track({ userId: 'ada', event: 'Bought' }), make.track({ userId: 'bob', event: 'Bought' })];
    const folded = async () => scene.folded(id, (await scene.upToNow([id])).get(id)?.liveThrough ?? 0n);

    await scene.insert([ada]);
    expect(await folded()).toEqual(new Set([ada.userKey]));
    expect(scene.follows).toEqual([1, true]);
    const evaluated = await scene.evaluate(id);
    expect(evaluated.map(({ evaluation }) => evaluation?.members)).toEqual([1, 1]);
    await scene.overtake();
    await scene.insert([bob]);

    expect(await folded()).toEqual(new Set([ada.userKey, bob.userKey]));
    await expect.poll(() => scene.follows, PATIENCE).toEqual([1, true]);
  });

  test('an audience is evaluated while live audiences rest', async () => {
    const make = new MessageMaker();
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    const resting = Promise.withResolvers<void>();
    scene.start(async (workedMs, stopping) => {
      expect(workedMs).toBeGreaterThan(0);
      resting.resolve();
      await pause(600_000, stopping);
    });
    await scene.save('First', '{"event":"Bought"}');
    await resting.promise;

    const { id, projectId } = await scene.save('Second', '{"event":"Bought"}');

    await expect.poll(() => scene.saved.find(projectId, id), PATIENCE).toMatchObject({ evaluation: { members: 0 } });
  });
});
