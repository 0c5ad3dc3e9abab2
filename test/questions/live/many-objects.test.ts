import { afterEach, describe, expect, test } from 'vitest';
import { NOW_MS } from '../../../services/stores/database/sql-time.ts';
import { LiveScene } from '../../support/live/live-scene.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { EMBEDDED, sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const HOUR = 3_600_000;
const PATIENCE = { timeout: 60_000 };

describe('live audiences of users with thousands of objects', () => {
  const analytics = sharedStore(EMBEDDED);
  const database = sharedDatabase();
  let scene: LiveScene;
  afterEach(() => scene.stop());

  test('a user with 5,000 orders enters when the first of them is due within the time', async () => {
    const make = new MessageMaker(randomProjectId());
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    scene.start();
    const has = '[{"property":"due","date":{"next":"7d"}},{"property":"state","is":"open"}]';
    const { id } = await scene.save('Due soon', `{"trait":"orders","has":${has}}`);
    await scene.upToNow([id]);
    // Those that are done are due sooner, one after another.
    const orders = Array.from({ length: 5_000 }, (_, index) => ({
      due: new Date(Date.now() + (170 + index / 10) * HOUR).toISOString(),
      state: index < 4_000 ? 'done' : 'open',
    }));
    const ada = make.identify({ userId: 'ada', traits: JSON.stringify({ orders }) });

    await scene.insert([ada]);
    const folded = async () => scene.folded(id, (await scene.upToNow([id])).get(id)?.liveThrough ?? 0n);
    expect(await folded()).toEqual(new Set());
    scene.putForward(BigInt(405 * HOUR) * 1000n);

    await expect.poll(folded, PATIENCE).toEqual(new Set([ada.userKey]));
  });

  test('an audience for which a user takes too many steps says so and is evaluated a minute later, and others follow on', async () => {
    const make = new MessageMaker(randomProjectId());
    scene = await LiveScene.begin(analytics(), database(), make.projectId);
    scene.start();
    const { id, projectId } = await scene.save(
      'Birthdays',
      '{"trait":"friends","has":[{"property":"born","date":{"anniversary":{"next":"30d"}}}]}',
    );
    const other = await scene.save('Buyers', '{"event":"Bought"}');
    await scene.upToNow([id, other.id]);
    const friends = Array.from({ length: 5_000 }, (_, index) => ({
      born: new Date(index * 72 * HOUR).toISOString().slice(0, 10),
    }));
    const [ada, bob] = [
      make.identify({ userId: 'ada', traits: JSON.stringify({ friends }) }),
      make.track({ userId: 'bob', event: 'Bought' }),
    ];

    await scene.insert([ada, bob]);
    await expect.poll(() => scene.saved.find(projectId, id), PATIENCE).toMatchObject({ failure: 'QUERY_LIMIT' });
    const [due] = await database().query<{ in_ms: bigint }>(
      `select due_at_ms - ${NOW_MS} as in_ms from audiences where id = $1`,
      [id],
    );
    await scene.saved.makeDue(projectId, id);

    expect(Number(due?.in_ms)).toBeGreaterThan(20_000);
    await expect.poll(() => scene.saved.find(projectId, id), PATIENCE).toMatchObject({ evaluation: { members: 1 } });
    await expect
      .poll(() => scene.saved.find(projectId, other.id), PATIENCE)
      .toMatchObject({ evaluation: { members: 1 }, failure: null });
  });
});
