import { testNavigation } from './areas/navigation-tests.ts';
import { testProxy } from './proxy-tests.ts';
import { testScreens } from './areas/screens-tests.ts';
import { testOnScene } from './on-scene.ts';

testOnScene(testScreens, testNavigation, testProxy);
