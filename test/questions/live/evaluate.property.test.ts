import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, Micros } from '../../../services/messages/message.ts';
import { type Audience, conditionsIn } from '../../../services/questions/definition/audience.ts';
import { readUser } from '../../../services/questions/one-user/read-users.ts';
import { type Decision, decisionsOn, evaluate } from '../../../services/questions/live/evaluate.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { Steps } from '../../../services/questions/steps.ts';
import { compileMembership } from '../../../services/questions/sql/compile-members.ts';
import { audienceOf } from '../../support/messages/naive-audience.ts';
import { historyAndDefinitions, insertHistory, NOW, readIn } from '../../support/messages/random-history.ts';
import { propertyRun } from '../../support/property-run.ts';
import { AMPLE, ask } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const DEFINITIONS = 8;
const DAY = 86_400_000_000n;

describe.each(await testedAnalytics())('decisions, in $name', (tested) => {
  const store = sharedStore(tested);

  test('a decision is that of the slow way and of the query, and holds until it is due', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(DEFINITIONS), fc.nat(), async ([past, texts], choice) => {
        const messages = await insertHistory(store(), past);
        for (const text of texts) {
          const read = readIn(text);
          if (read.ok) await expectHolding(text, read.definition, messages, choice);
        }
      }),
      propertyRun(4 * tested.share),
    );
  }, 240_000);

  async function expectHolding(text: string, audience: Audience, messages: readonly Message[], choice: number) {
    const decisions = await decisionsOnAll(audience, messages);
    const dues = [...decisions.values()].flatMap(({ due }) => due ?? []);
    const chosen = dues[choice % Math.max(dues.length, 1)] ?? NOW + DAY;
    for (const time of new Set([NOW, NOW + 1n, chosen - 1n, chosen, NOW + 40n * DAY])) {
      const members = audienceOf(audience, messages, time);
      for (const [user, { isMet, due }] of decisions)
        if (due === null || time < due)
          expect([text, user, time, isMet]).toEqual([text, user, time, members.has(user)]);
    }
    for (const time of [NOW, chosen - 1n]) {
      const members = await membersAt(audience, messages, time);
      for (const [user, { isMet, due }] of decisions)
        if (due === null || time < due)
          expect([text, user, time, isMet]).toEqual([text, user, time, members.has(user)]);
    }
  }

  async function decisionsOnAll(audience: Audience, messages: readonly Message[]): Promise<Map<string, Decision>> {
    const conditions = conditionsIn(audience, '').map(({ condition }) => condition);
    const decisions = new Map<string, Decision>();
    for (const { projectId, userKey } of messages) {
      if (decisions.has(userKey)) continue;
      const at = { now: NOW, steps: new Steps() };
      const known = await readUser(new QueryBudget(store(), AMPLE), { projectId, userKey }, conditions, at);
      decisions.set(userKey, evaluate(audience, decisionsOn({ ...known, ...at, userKey })));
    }
    return decisions;
  }

  async function membersAt(audience: Audience, messages: readonly Message[], now: Micros): Promise<Set<string>> {
    const { sql, params } = compileMembership(audience, { projectId: messages[0]!.projectId, now });
    const rows = await ask<{ internal_id: string; is_in: boolean }>(store(), sql, params);
    return new Set(rows.flatMap(({ internal_id: user, is_in: isIn }) => (isIn ? [user] : [])));
  }
});

describe('a group', () => {
  const decide = (decisions: readonly Decision[]) => {
    const conditions = decisions.map((_, index) => ({ kind: 'sample', hundredths: 1, seed: String(index) }) as const);
    const decisionOn = (condition: unknown): Decision => decisions[conditions.findIndex((one) => one === condition)]!;
    return (kind: 'all' | 'any') => evaluate({ kind, of: conditions }, decisionOn);
  };

  test('a group that is not met waits for the last of the parts that keep it from it', () => {
    const parts = decide([
      { isMet: true, due: 1n },
      { isMet: false, due: 5n },
      { isMet: false, due: 9n },
    ]);

    expect(parts('all')).toEqual({ isMet: false, due: 9n });
    expect(parts('any')).toEqual({ isMet: true, due: 1n });
  });

  test('a group that is met lasts until the first of its parts changes', () => {
    const parts = decide([
      { isMet: true, due: 5n },
      { isMet: true, due: null },
      { isMet: true, due: 3n },
    ]);

    expect(parts('all')).toEqual({ isMet: true, due: 3n });
    expect(parts('any')).toEqual({ isMet: true, due: null });
  });
});
