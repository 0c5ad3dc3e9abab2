import { testSchemathesis } from './schemathesis.ts';

testSchemathesis('examples');
