import { testExamples } from './examples.ts';

// `go run` compiles the standard library where it never ran before, which takes a minute of two processors.
await testExamples(['go']);
