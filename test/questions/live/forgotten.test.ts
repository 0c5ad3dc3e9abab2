import { describe, expect, test } from 'vitest';
import { ALL_TIME, userName } from '../../../services/stores/erasures/erased-users.ts';
import { LiveScene } from '../../support/live/live-scene.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const HOUR = 3_600_000_000n;

describe.each(await testedAnalytics())('live audiences and people who are forgotten in $name', (tested) => {
  const analytics = sharedStore(tested);
  const database = sharedDatabase();

  test('time brings nobody into an audience who was forgotten', async () => {
    const shop = new MessageMaker(randomProjectId());
    const scene = await LiveScene.begin(analytics(), database(), shop.projectId);
    const now = BigInt(Date.now()) * 1_000n;
    const bought = (userId: string) => shop.track({ userId, event: 'Bought', timestamp: now, receivedAt: now });
    const [ada, ben] = [bought('ada'), bought('ben')];
    await scene.insert([ada, ben]);
    scene.start();
    try {
      const { id } = await scene.save('Absent', '{"not":{"event":"Bought","within":{"last":"1h"}}}');
      await scene.upToNow([id]);
      expect(await scene.members(id)).toEqual(new Set());

      scene.forgotten.set(userName(shop.projectId, ada.userKey), ALL_TIME);
      const { signal } = new AbortController();
      await analytics().forget({ projectId: shop.projectId, users: [ada.userKey] }, { signal });
      scene.putForward(2n * HOUR);
      await scene.upToNow([id]);

      await expect.poll(() => scene.members(id), { timeout: 20_000 }).toEqual(new Set([ben.userKey]));
    } finally {
      await scene.stop();
    }
  }, 120_000);
});
