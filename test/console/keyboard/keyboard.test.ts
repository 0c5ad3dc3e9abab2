import { testOnScene } from '../on-scene.ts';
import { testKeyboard } from './keyboard-tests.ts';

testOnScene(testKeyboard);
