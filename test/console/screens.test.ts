import { testOnScene } from './on-scene.ts';
import { testScreens } from './areas/screens-tests.ts';

testOnScene(testScreens);
