import { testForgotten } from './areas/forgotten-tests.ts';
import { testKeeping, testToday } from './areas/today-tests.ts';
import { testOnScene } from './on-scene.ts';

testOnScene(testToday, testKeeping, testForgotten);
