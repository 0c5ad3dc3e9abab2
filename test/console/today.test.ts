import { testForgotten } from './areas/forgotten-tests.ts';
import { testToday } from './areas/today-tests.ts';
import { testOnScene } from './on-scene.ts';

testOnScene(testToday, testForgotten);
