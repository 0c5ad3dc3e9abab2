import { beforeAll, describe, expect, test } from 'vitest';
import { READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { expectAccessible } from './areas/screens-tests.ts';
import { testOnScene } from './on-scene.ts';
import { ADMIN_KEY, type Scene } from './scene.ts';
import { putShotData, type ShotData } from './shots/shot-data.ts';
import { addressOf, arriveAt, STATES } from './shots/state-shots.ts';

/** Each look of axe takes a second or two on a busy machine. */
const WITH_AXE = { timeout: 300_000 };

function testStates(scene: () => Scene): void {
  describe('screens without data, without answers, and with names that are hard to show', () => {
    let data: ShotData | undefined;
    beforeAll(async () => {
      data = await putShotData({ url: scene().url, readKey: READ_KEY, writeKey: WRITE_KEY, adminKey: ADMIN_KEY });
    }, WITH_AXE.timeout);

    for (const state of STATES) {
      test(`the screen ${state.name} is accessible in both themes and fits 360 px`, WITH_AXE, async () => {
        if (data === undefined) throw new Error('There is nothing to look at.');
        const page = await scene().signedIn('#/settings/session', { isAdmin: true });
        await state.before?.(page);
        await page.goto(`${scene().url}/console/${addressOf(state, data)}`);
        await arriveAt(page, state);
        // However many answers do not come: it is said once.
        await expect.poll(() => page.locator('.problem').count()).toBeLessThanOrEqual(1);

        await expectAccessible(page, state.name);
      });
    }
  });
}

testOnScene(testStates);
