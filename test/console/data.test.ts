import { testAudiences } from './areas/audiences-tests.ts';
import { testAudiencePage } from './areas/audience-page-tests.ts';
import { testBuilder } from './areas/builder-tests.ts';
import { testBuilderKeys } from './areas/builder-keys-tests.ts';
import { testBuilderKinds } from './areas/builder-kinds-tests.ts';
import { testCsv } from './csv-tests.ts';
import { testEvents } from './areas/events-tests.ts';
import { testLive } from './areas/live-tests.ts';
import { testFunnel } from './funnel-tests.ts';
import { testOnScene } from './on-scene.ts';
import { testUsers } from './areas/users-tests.ts';

// Events come before messages are sent into the empty project.
testOnScene(
  testEvents,
  testFunnel,
  testLive,
  testUsers,
  testAudiences,
  testAudiencePage,
  testBuilder,
  testBuilderKeys,
  testBuilderKinds,
  testCsv,
);
