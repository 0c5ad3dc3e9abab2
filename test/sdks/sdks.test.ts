import { testSdks } from './sdk-tests.ts';

await testSdks('npm', 'python');
