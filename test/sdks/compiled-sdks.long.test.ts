import { testSdks } from './sdk-tests.ts';

await testSdks('go', 'java');
