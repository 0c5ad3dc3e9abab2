import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../services/messages/message.ts';
import { compareAudiences, previewAudience } from '../../services/questions/audiences.ts';
import type { Audience } from '../../services/questions/definition/audience.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import type { CompileOptions } from '../../services/questions/sql/compile.ts';
import { compileMembership } from '../../services/questions/sql/compile-members.ts';
import { keepJoined, namedBy, namings, rewritten } from '../support/messages/joined-history.ts';
import { audienceOf } from '../support/messages/naive-audience.ts';
import { historyAndDefinitions, messagesOf, NOW, readIn, userIdsOf } from '../support/messages/random-history.ts';
import { propertyRun } from '../support/property-run.ts';
import { AMPLE, insert } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';

describe.each(await testedAnalytics())('persons in $name', (tested) => {
  const store = sharedStore(tested);

  test('an audience with joined ids has the users of the same history with the user ids in their place', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(40), namings, async ([past, definitions], names) => {
        const messages = namedBy(messagesOf(past), names);
        await insert(store(), messages);
        await keepJoined(store(), messages);
        for (const text of definitions) await expectPersons(text, messages, rewritten(messages));
      }),
      propertyRun(10 * tested.share),
    );
  }, 240_000);

  async function expectPersons(text: string, messages: readonly Message[], asUsers: readonly Message[]) {
    const read = readIn(text);
    if (!read.ok) return;
    const users = audienceOf(read.definition, asUsers, NOW);
    const options = { projectId: messages[0]?.projectId ?? '', now: NOW, joins: true };

    const found = await previewAudience(new QueryBudget(store(), AMPLE), read.definition, {
      ...options,
      sampleSize: 1000,
    });
    const membership = await store().ask(compileMembership(read.definition, options), AMPLE);

    const sample = userIdsOf(users, asUsers);
    expect({ text, count: found.count, sample: found.sample }).toEqual({ text, count: users.size, sample });
    const members = membership.rows.filter((row) => row['is_in'] === true).map((row) => row['internal_id']);
    expect(new Set(members)).toEqual(users);
    const apart = audienceOf(read.definition, messages, NOW);
    await expectComparison(read.definition, options, [apart, users]);
  }

  /** Whoever enters where ids are joined leaves where they become apart again. */
  async function expectComparison(
    definition: Audience,
    options: CompileOptions,
    [apart, joined]: readonly [ReadonlySet<string>, ReadonlySet<string>],
  ) {
    const compared = async (joins: boolean) => {
      const budget = new QueryBudget(store(), AMPLE);
      const to = { ...options, joins, toJoins: !joins, sampleSize: 1000 };
      const { entering, leaving } = await compareAudiences(budget, definition, definition, to);
      return [entering, leaving].map(({ sample }) => new Set(sample.map(({ userKey }) => userKey)));
    };
    const [more, fewer] = [joined.difference(apart), apart.difference(joined)];
    expect(await compared(false)).toEqual([more, fewer]);
    expect(await compared(true)).toEqual([fewer, more]);
  }
});
