import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareAudiences, previewAudience } from '../../services/questions/audiences.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import type { Audience } from '../../services/questions/definition/audience.ts';
import { compileMembers } from '../../services/questions/sql/compile-members.ts';
import type { Message } from '../../services/messages/message.ts';
import { userNumber } from '../../services/stores/analytics/columns.ts';
import { AMPLE } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { audienceOf } from '../support/messages/naive-audience.ts';
import { propertyRun } from '../support/property-run.ts';
import { readIn, historyAndDefinitions, insertHistory, NOW, userIdsOf } from '../support/messages/random-history.ts';
import { testedAnalytics, testedShards } from '../support/stores/tested-analytics.ts';

describe.each([...(await testedAnalytics()), ...(await testedShards(0.1))])('an audience in $name', (tested) => {
  const store = sharedStore(tested);

  test('an audience has the users that a reference evaluation of every message finds, repeats and double inserts included', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(60), async ([past, definitions]) => {
        const messages = await insertHistory(store(), past);
        for (const text of definitions) await expectAgreement(text, messages);
      }),
      propertyRun(10 * tested.share),
    );
  }, 240_000);

  test('a comparison has the users that the audiences do and do not share, by a reference evaluation of every message', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(12), async ([past, definitions]) => {
        const messages = await insertHistory(store(), past);
        const read = definitions.map((text) => readIn(text)).flatMap((one) => (one.ok ? [one.definition] : []));
        for (const [index, to] of read.entries()) await expectDifference(read[index - 1] ?? to, to, messages);
      }),
      propertyRun(5 * tested.share),
    );
  }, 240_000);

  test('the members of an audience are those users, in the order of internal ids, from any of them on', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(12), async ([past, definitions]) => {
        const messages = await insertHistory(store(), past);
        for (const text of definitions) {
          const read = readIn(text);
          if (read.ok) await expectMembers(read.definition, messages);
        }
      }),
      propertyRun(2 * tested.share),
    );
  }, 240_000);

  async function expectMembers(audience: Audience, messages: readonly Message[]): Promise<void> {
    const users = [...audienceOf(audience, messages, NOW)].toSorted(byText);
    const first = users.at(0) ?? '0'.repeat(64);
    const options = { projectId: messages[0]!.projectId, now: NOW, limit: null };
    const members = async (after: bigint) =>
      (await store().ask(compileMembers(audience, { ...options, after }), AMPLE)).rows.map((row) => row['internal_id']);

    expect(await members(0n)).toEqual(users);
    expect(await members(BigInt(userNumber(first)))).toEqual(users.slice(1));
  }

  async function expectDifference(from: Audience, to: Audience, messages: readonly Message[]): Promise<void> {
    const [before, after] = [from, to].map((one) => audienceOf(one, messages, NOW)) as [Set<string>, Set<string>];

    const found = await compareAudiences(new QueryBudget(store(), AMPLE), from, to, optionsOf(messages));

    const keys = (group: 'entering' | 'leaving' | 'staying') => found[group].sample.map(({ userKey }) => userKey);
    expect([found.fromCount, found.toCount]).toEqual([before.size, after.size]);
    expect(keys('entering')).toEqual([...after.difference(before)].toSorted(byText));
    expect(keys('leaving')).toEqual([...before.difference(after)].toSorted(byText));
    expect(keys('staying')).toEqual([...before.intersection(after)].toSorted(byText));
    for (const group of ['entering', 'leaving', 'staying'] as const)
      expect(found[group].count).toBe(found[group].sample.length);
  }

  async function expectAgreement(text: string, messages: readonly Message[]): Promise<void> {
    const read = readIn(text);
    if (!read.ok) {
      // One condition can contradict itself in two ways at once.
      expect(read.problems).not.toEqual([]);
      for (const problem of read.problems)
        expect(problem).toEqual({ path: expect.stringMatching(/\/(count|measure)$/), message: expect.any(String) });
      return;
    }
    const users = audienceOf(read.definition, messages, NOW);

    const budget = new QueryBudget(store(), AMPLE);
    const { count, sample, sampleUsers } = await previewAudience(budget, read.definition, optionsOf(messages));

    expect({ text, count, sample }).toEqual({ text, count: users.size, sample: userIdsOf(users, messages) });
    expect(sampleUsers.map(({ userKey }) => userKey)).toEqual([...users].toSorted(byText));
    const named = sampleUsers.flatMap(({ userId }) => (userId === null ? [] : [userId]));
    expect(named.toSorted(byText)).toEqual(sample.toSorted(byText));
  }
});

function optionsOf([first]: readonly Message[]) {
  return { projectId: first!.projectId, now: NOW, sampleSize: 1000 };
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
