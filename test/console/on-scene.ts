import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { findChromium } from './browser.ts';
import { Scene } from './scene.ts';

/** The tests of these areas, one after another, on one service and one browser. */
export function testOnScene(...areas: readonly ((scene: () => Scene) => void)[]): void {
  let opened: Scene | undefined;
  const scene = (): Scene => {
    if (opened === undefined) throw new Error('the scene is not open');
    return opened;
  };

  const canRun = findChromium() !== undefined || process.env['REQUIRE_SERVERS'] === '1';
  if (!canRun)
    process.stderr.write('The tests of the console are skipped: there is no chromium (apt-get install chromium).\n');

  describe.skipIf(!canRun)('the console', { timeout: 240_000 }, () => {
    beforeAll(async () => {
      opened = await Scene.open();
    });
    afterEach(() => opened?.closePages());
    afterAll(() => opened?.close());

    for (const area of areas) area(scene);
  });
}
