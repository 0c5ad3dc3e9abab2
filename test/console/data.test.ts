import { testAudiences } from './audiences-tests.ts';
import { testBuilder } from './builder-tests.ts';
import { testEvents } from './events-tests.ts';
import { testLive } from './live-tests.ts';
import { testOnScene } from './on-scene.ts';
import { testUsers } from './users-tests.ts';

// Events come before messages are sent into the empty project.
testOnScene(testEvents, testLive, testUsers, testAudiences, testBuilder);
