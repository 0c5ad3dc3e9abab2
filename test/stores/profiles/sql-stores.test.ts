import { beforeAll, describe, expect, test } from 'vitest';
import { makeTables } from '../../../services/operations/replay/replay.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlGenerations } from '../../../services/stores/generations/sql-generations.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { testCounts } from '../../contract/counts.ts';
import { testGenerations } from '../../contract/generations.ts';
import { testSightings } from '../../contract/sightings.ts';
import { testPersons } from '../../contract/persons.ts';
import { testProfilePages } from '../../contract/profile-pages.ts';
import { someone, testProfileStore } from '../../contract/profile-store.ts';
import { testSinkPlans } from '../../contract/sink-plans.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

function testStores(name: string, database: () => Database): void {
  beforeAll(async () => {
    for (const kind of ['profiles', 'analytics'] as const) {
      const made = { kind, projectId: null, rateLimit: null };
      await makeTables(database(), await new SqlGenerations(database()).make(made));
    }
  });

  for (const generation of [1, 2]) {
    testProfileStore(name, database, generation);
    testSightings(name, database, generation);
    testPersons(name, database, generation);
    testProfilePages(name, database, generation);
    testSinkPlans(name, database, generation);
    test(`a store tries changes on generation ${generation} as it writes them, and keeps nothing`, async () => {
      const { change, find } = someone(database(), generation);
      const store = new SqlProfileStore(database(), generation);
      const version = '0'.repeat(31);
      const tried = (value: string) =>
        store.tryOut([change({ traits: new Map([['a', { value, version: `${version}1` }]]) })]);

      await tried('1');
      await expect(tried('"\\u0000"')).rejects.toMatchObject({ code: 'STORE_REJECTED' });

      expect(await find()).toBeUndefined();
    });
  }
  testCounts(name, database);
  testGenerations(name, database);
}

describe.each(DATABASES)('on $name', ({ name, share }) => testStores(name, share()));
