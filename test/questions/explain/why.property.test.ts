import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Audience } from '../../../services/questions/definition/audience.ts';
import { MAX_SAMPLE } from '../../../services/questions/sql/compile.ts';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { explainMembership, type Why } from '../../../services/questions/explain/why.ts';
import type { Message, Micros } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { AMPLE } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { propertyRun } from '../../support/property-run.ts';
import { readIn, historyAndDefinitions, insertHistory, NOW, USERS } from '../../support/messages/random-history.ts';
import { testedAnalytics, testedShards } from '../../support/stores/tested-analytics.ts';

const DEFINITIONS = 10;
const HOUR = 3_600_000_000n;

describe.each([...(await testedAnalytics()), ...(await testedShards(0.1)).slice(0, 1)])('why, in $name', (tested) => {
  const store = sharedStore(tested);

  test('why agrees with the query about every user, now and until the time at which it says that this changes', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(DEFINITIONS), fc.nat(), async ([past, texts], choice) => {
        const messages = await insertHistory(store(), past);
        for (const [index, text] of texts.entries()) {
          const read = readIn(text);
          if (read.ok)
            await expectAgreement({ text, audience: read.definition, messages, choice, isCounted: index === 0 });
        }
      }),
      propertyRun(4 * tested.share),
    );
  }, 240_000);

  interface Asked {
    readonly text: string;
    readonly audience: Audience;
    readonly messages: readonly Message[];
    readonly choice: number;
    /** Whether every user is asked about, and not a few of them. */
    readonly isCounted: boolean;
  }

  async function expectAgreement({ text, audience, messages, choice, isCounted }: Asked): Promise<void> {
    const projectId = messages[0]!.projectId;
    const known = USERS.filter((userId) => messages.some(({ userKey }) => userKey === userKeyOf(projectId, userId)));
    const members = await membersAt(projectId, audience, NOW);
    const turned = [...known.slice(choice % known.length), ...known];
    const asked = isCounted ? known : turned.slice(0, 5);
    const found = await Promise.all(
      asked.map(async (userId) => [userId, await whyAt(projectId, audience, userId)] as const),
    );
    const met = found.filter(([, { evaluation }]) => evaluation.isMet);
    const named = found.filter(([, { userId }]) => userId !== null);

    if (isCounted) expect([text, met.length]).toEqual([text, members.count]);
    for (const [userId, { evaluation }] of named)
      expect([text, userId, evaluation.isMet]).toEqual([text, userId, members.ids.includes(userId)]);
    const changing = named.filter(([, { evaluation }]) => evaluation.changesAt !== null);
    const [userId, why] = changing[choice % Math.max(changing.length, 1)] ?? [];
    if (userId !== undefined && why) await expectChange(text, audience, { projectId, userId }, why);
  }

  async function expectChange(
    text: string,
    audience: Audience,
    { projectId, userId }: { projectId: string; userId: string },
    { evaluation: { isMet, changesAt } }: Why,
  ): Promise<void> {
    const at = changesAt ?? 0n;
    const before = [NOW + HOUR, NOW + 24n * HOUR, (NOW + at) / 2n, at - 1n].filter((time) => time < at && time > NOW);
    const isMember = async (time: Micros) => (await membersAt(projectId, audience, time)).ids.includes(userId);

    for (const time of before) expect([text, userId, time, await isMember(time)]).toEqual([text, userId, time, isMet]);
    expect([text, userId, at, await isMember(at)]).toEqual([text, userId, at, !isMet]);
  }

  async function whyAt(projectId: string, audience: Audience, userId: string): Promise<Why> {
    const options = { projectId, userKey: userKeyOf(projectId, userId), now: NOW, eventsShown: 3 };
    const why = await explainMembership(store(), AMPLE, audience, '', options);
    if (why === undefined) throw new Error(`nobody knows ${userId}`);
    return why;
  }

  async function membersAt(projectId: string, audience: Audience, now: Micros) {
    const options = { projectId, now, sampleSize: MAX_SAMPLE };
    const { count, sample: ids } = await previewAudience(new QueryBudget(store(), AMPLE), audience, options);
    return { count, ids };
  }
});
