import { testExamples } from './examples.ts';

await testExamples(['node', 'python', 'curl']);
