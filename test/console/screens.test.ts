import { testOnScene } from './on-scene.ts';
import { testScreens } from './screens-tests.ts';

testOnScene(testScreens);
