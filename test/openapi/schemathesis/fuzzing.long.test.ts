import { testSchemathesis } from './schemathesis.ts';

testSchemathesis('fuzzing');
