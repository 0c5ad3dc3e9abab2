import { embedded, testReplay } from './replay-tests.ts';

testReplay('embedded stores', embedded);
