/** One service and one browser for all tests of the console: each file beside this one has those of one area. */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { findChromium } from './browser.ts';
import { Scene } from './scene.ts';
import { testSessions } from './session-tests.ts';

let opened: Scene | undefined;
const scene = (): Scene => {
  if (opened === undefined) throw new Error('the scene is not open');
  return opened;
};

const canRun = findChromium() !== undefined || process.env['REQUIRE_SERVERS'] === '1';
if (!canRun)
  process.stderr.write('The tests of the console are skipped: there is no chromium (apt-get install chromium).\n');

describe.skipIf(!canRun)('the console', () => {
  beforeAll(async () => {
    opened = await Scene.open();
  });
  afterEach(() => opened?.closePages());
  afterAll(() => opened?.close());

  testSessions(scene);
});
