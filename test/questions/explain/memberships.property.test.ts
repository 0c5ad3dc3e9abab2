import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readMemberships } from '../../../services/questions/explain/memberships.ts';
import { explainMembership } from '../../../services/questions/explain/why.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { AMPLE } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { propertyRun } from '../../support/property-run.ts';
import { readIn, historyAndDefinitions, insertHistory, NOW, USERS } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const DEFINITIONS = 12;

describe.each(await testedAnalytics())('memberships, in $name', (tested) => {
  const store = sharedStore(tested);

  test('several definitions evaluated at once have the results of each by itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        historyAndDefinitions(DEFINITIONS),
        fc.integer({ min: 1, max: 40 }),
        async ([past, texts], copies) => {
          const [message] = await insertHistory(store(), past);
          const projectId = message!.projectId;
          const read = texts.map((text) => readIn(text));
          const audiences = read.flatMap((one) => (one.ok ? [one.definition] : []));
          // Many at once are evaluated in several groups.
          const repeated = Array.from({ length: copies }, () => audiences).flat();
          for (const userId of USERS.slice(0, 3)) {
            const user = { projectId, userKey: userKeyOf(projectId, userId) };
            const found = await readMemberships(new QueryBudget(store(), AMPLE), repeated, user, NOW);
            const expected = await Promise.all(
              audiences.map((audience) =>
                explainMembership(store(), AMPLE, audience, '', { ...user, now: NOW, eventsShown: 0 }),
              ),
            );

            const results = expected.flatMap((why) =>
              why === undefined ? [] : [{ isMember: why.evaluation.isMet, changesAt: why.evaluation.changesAt }],
            );
            const isKnown = results.length === audiences.length;
            expect(found).toEqual(isKnown ? Array.from({ length: copies }, () => results).flat() : undefined);
          }
        },
      ),
      propertyRun(4 * tested.share),
    );
  }, 240_000);
});
