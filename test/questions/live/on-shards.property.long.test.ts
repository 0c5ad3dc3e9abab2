import { describe, test } from 'vitest';
import { serverUrl } from '../../servers/server.ts';
import { tryHistories } from '../../support/live/live-steps.ts';
import { sharedStore, shardsOf } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const isHere = (await serverUrl('clickhouse-shards')) !== undefined;

describe.skipIf(!isHere).each(shardsOf(1))('live audiences in $name', (tested) => {
  const analytics = sharedStore(tested);
  const database = sharedDatabase();

  test.each([1, 2] as const)(
    'a live audience on shards has the members of the slow way, whatever comes, fails and passes: %i processes',
    (processes) => tryHistories({ analytics: analytics(), database: database(), processes, joinIds: false }, 3),
    600_000,
  );
});
