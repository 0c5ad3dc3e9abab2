import { testFiles } from './files-tests.ts';
import { testJourneys } from './journey-tests.ts';
import { testDeadLetters } from './dead-letters-tests.ts';
import { testOnScene } from './on-scene.ts';
import { testPipeline } from './pipeline-tests.ts';
import { testReplays } from './replays-tests.ts';
import { testSessions } from './session-tests.ts';
import { testSettings } from './settings-tests.ts';

// Sessions are last: their last test uses up the sign-ins of this address.
testOnScene(testFiles, testJourneys, testPipeline, testSettings, testReplays, testDeadLetters, testSessions);
