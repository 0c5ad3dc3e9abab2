import { expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { Followed } from '../../../services/questions/live/followed.ts';
import { WhomTimeChanges, type WhomTimeChangesParts } from '../../../services/questions/live/whom-time-changes.ts';
import { AMPLE } from '../../support/stores/analytics.ts';

const NOW = 1_000_000_000_000n;
const DEFINITION = { event: 'Bought', within: { last: '1h' } };

function followed(): Followed {
  const read = readDefinition(DEFINITION, { timezone: 'UTC' });
  const one = new Followed('aud_1', 'proj_1', 1);
  if (read.ok)
    one.follow(
      { definition: read.definition, version: 1, timezone: 'UTC', joins: false, eventsFrom: null },
      NOW,
      (audience) => audience,
    );
  return one;
}

function partsOf(ask: WhomTimeChangesParts['analytics']['ask']): WhomTimeChangesParts {
  return { analytics: { ask }, limits: AMPLE, logger: { warn: () => undefined } };
}

test('who is decided while it is asked whom time may change is due within the new horizon already', async () => {
  const one = followed();
  const answer = Promise.withResolvers<void>();
  const whomTimeChanges = new WhomTimeChanges(
    partsOf(async () => {
      await answer.promise;
      return { rows: [], tookMs: 1, rowsRead: 0, bytesRead: 0 };
    }),
    async () => expect.fail('it is to be evaluated again'),
  );

  whomTimeChanges.askIfDue(one, NOW);
  // A message comes after the question was put, and is not in its answer.
  one.note('ada', NOW + one.span);
  answer.resolve();

  await expect.poll(() => one.undated).toEqual([]);
  expect([...one.dues.due(NOW + one.span)]).toEqual(['ada']);
});

test('an audience of which it cannot be told whom time changes is left to evaluations', async () => {
  const again: Followed[] = [];
  const audience = followed();
  const whomTimeChanges = new WhomTimeChanges(
    partsOf(async () => {
      const rows = Array.from({ length: 200_001 }, () => ({ internal_id: 'ada' }));
      return { rows, tookMs: 1, rowsRead: 0, bytesRead: 0 };
    }),
    async (one) => void again.push(one),
  );

  whomTimeChanges.askIfDue(audience, NOW);

  await expect.poll(() => again).toEqual([audience]);
});
