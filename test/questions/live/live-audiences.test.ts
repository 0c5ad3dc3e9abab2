import { describe, expect, test } from 'vitest';
import { LiveScene } from '../../support/live/live-scene.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { EMBEDDED, sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const HOUR = 3_600_000_000n;

describe('live audiences, in chDB and PGlite', () => {
  const analytics = sharedStore(EMBEDDED);
  const database = sharedDatabase();

  test('whom time changes between an evaluation and the first tick after it has left', async () => {
    const maker = new MessageMaker();
    const now = BigInt(Date.now()) * 1000n;
    const scene = await LiveScene.begin(analytics(), database(), maker.projectId);
    await scene.insert([
      maker.track({ userId: 'ada', event: 'Bought', timestamp: now - HOUR }),
      maker.track({ userId: 'bob', event: 'Bought', timestamp: now }),
    ]);
    const [ada, bob] = scene.messages.map(({ userKey }) => userKey);
    // The evaluation is now, and ticks come later than this.
    scene.putForward(90n * (HOUR / 60n));
    scene.start();
    try {
      const soon = await scene.save('Soon', '{"event":"Bought","within":{"last":"2h"}}');
      const late = await scene.save('Late', '{"not":{"event":"Bought","within":{"last":"2h"}}}');
      const found = await scene.upToNow([soon.id, late.id]);

      const members = (id: string) => scene.folded(id, found.get(id)?.liveThrough ?? 0n);
      expect([await members(soon.id), await members(late.id)]).toEqual([new Set([bob]), new Set([ada])]);
    } finally {
      await scene.stop();
    }
  });
});
