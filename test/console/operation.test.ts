import { testBackups } from './areas/backups-tests.ts';
import { testFiles } from './areas/files-tests.ts';
import { testJourneys } from './areas/journey-tests.ts';
import { testJoins } from './areas/joins-tests.ts';
import { testDeadLetters } from './areas/dead-letters-tests.ts';
import { testOnScene } from './on-scene.ts';
import { testPipeline } from './areas/pipeline-tests.ts';
import { testReplays } from './areas/replays-tests.ts';
import { testSessions } from './areas/session-tests.ts';
import { testSettings } from './areas/settings-tests.ts';
import { testWebhooks } from './areas/webhooks-tests.ts';

// Sessions are last: their last test uses up the sign-ins of this address.
testOnScene(
  testFiles,
  testJourneys,
  testPipeline,
  testSettings,
  testJoins,
  testReplays,
  testDeadLetters,
  testWebhooks,
  testBackups,
  testSessions,
);
