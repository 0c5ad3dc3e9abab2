/** One service and one browser for all tests of the console: each file beside this one has those of one area. */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { testAudiences } from './audiences-tests.ts';
import { findChromium } from './browser.ts';
import { testEvents } from './events-tests.ts';
import { testBuilder } from './builder-tests.ts';
import { testFiles } from './files-tests.ts';
import { testJourneys } from './journey-tests.ts';
import { testDeadLetters } from './dead-letters-tests.ts';
import { testLive } from './live-tests.ts';
import { testPipeline } from './pipeline-tests.ts';
import { testReplays } from './replays-tests.ts';
import { Scene } from './scene.ts';
import { testScreens } from './screens-tests.ts';
import { testSessions } from './session-tests.ts';
import { testSettings } from './settings-tests.ts';
import { testUsers } from './users-tests.ts';

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

  testFiles(scene);
  testScreens(scene);
  // Before messages come into the empty project.
  testEvents(scene);
  testLive(scene);
  testUsers(scene);
  testAudiences(scene);
  testJourneys(scene);
  testPipeline(scene);
  testSettings(scene);
  testReplays(scene);
  testDeadLetters(scene);
  testBuilder(scene);
  // Last: its last test uses up the sign-ins of this address.
  testSessions(scene);
});
