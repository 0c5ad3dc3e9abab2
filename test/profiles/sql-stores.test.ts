import { testProfileStore } from '../contract/profile-store.ts';
import { testSinkPlans } from '../contract/sink-plans.ts';
import { sharedDatabase } from '../support/database.ts';

const database = sharedDatabase();

testProfileStore('PGlite', database);
testSinkPlans('PGlite', database);
