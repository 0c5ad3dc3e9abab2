import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Audiences } from '../../services/audience/audiences.ts';
import { readDefinition } from '../../services/audience/definition/definition.ts';
import type { Message } from '../../services/messages/message.ts';
import { AMPLE } from '../support/analytics.ts';
import { sharedStore, testedAnalytics } from '../support/analytics-stores.ts';
import { audienceOf } from '../support/naive-audience.ts';
import { propertyRun } from '../support/property-run.ts';
import { exactly, historyAndDefinitions, insertHistory, NOW, NOW_MS, userIdsOf } from '../support/random-history.ts';

describe.each(await testedAnalytics())('an audience in $name', (tested) => {
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

  async function expectAgreement(text: string, messages: readonly Message[]): Promise<void> {
    const read = readDefinition(exactly(text), { timezone: 'UTC' });
    if (!read.ok) {
      expect(read.problems).toEqual([{ path: expect.stringMatching(/\/count$/), message: expect.any(String) }]);
      return;
    }
    const audiences = new Audiences(store(), AMPLE, () => NOW_MS);
    const users = audienceOf(read.definition, messages, NOW);

    const { count, sample } = await audiences.preview(messages[0]!.projectId, read.definition, 1000);

    expect({ text, count, sample }).toEqual({ text, count: users.size, sample: userIdsOf(users, messages) });
  }
});
