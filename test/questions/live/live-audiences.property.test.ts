import { describe, test } from 'vitest';
import { tryHistories } from '../../support/live/live-steps.ts';
import { EMBEDDED, sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

describe('live audiences, in chDB and PGlite', () => {
  const analytics = sharedStore(EMBEDDED);
  const database = sharedDatabase();

  test.each([
    [1, 'alone', false],
    [2, 'alone', false],
    [1, 'and anonymous ids', true],
  ] as const)(
    'a live audience has the members of the slow way, whatever comes, fails and passes: %i processes, user ids %s',
    (processes, _, joinIds) => tryHistories({ analytics: analytics(), database: database(), processes, joinIds }, 3),
    300_000,
  );
});
