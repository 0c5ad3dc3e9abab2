import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, Micros } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { Audience } from '../../../services/questions/definition/audience.ts';
import { boundsWithin, mayChange, textOf } from '../../../services/questions/live/bounds.ts';
import { audienceOf } from '../../support/messages/naive-audience.ts';
import { historyAndDefinitions, type History, messagesOf, NOW, readIn } from '../../support/messages/random-history.ts';
import { propertyRun } from '../../support/property-run.ts';

const HOUR = 3_600_000_000n;
const SPANS = [1n, HOUR / 12n, HOUR, 3n * HOUR, 40n * 24n * HOUR];

describe('bounds', () => {
  test('everybody who is ever in an audience within a span may be, and who always may be is in it throughout', () => {
    fc.assert(
      fc.property(
        historyAndDefinitions(6),
        fc.constantFrom(...SPANS),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 5 }),
        ([past, texts], span, places) => {
          const messages = messagesOf(past);
          for (const text of texts) {
            const read = readIn(text);
            if (read.ok) expectBounds(read.definition, messages, { span, places, text });
          }
        },
      ),
      propertyRun(12),
    );
  }, 240_000);

  test('an audience that time does not change may change for nobody', () => {
    const read = readIn('{"all":[{"event":"Bought","count":{"at_least":2}},{"not":{"trait":"a","is":1}}]}');

    expect(read.ok && mayChange(read.definition, HOUR)).toBeNull();
  });

  test('whom time may change is asked once, where one part of an audience moves', () => {
    const due = '{"trait":"orders","has":[{"property":"due","date":{"next":"7d"}},{"property":"state","is":"open"}]}';
    for (const text of [due, `{"not":${due}}`, `{"all":[{"event":"Bought"},{"any":[{"trait":"a","is":1},${due}]}]}`]) {
      const read = readIn(text);
      const question = textOf((read.ok && mayChange(read.definition, HOUR)) || expect.fail(text));

      // For each end of the period.
      expect([text, question.match(/"test":"date"/g)?.length]).toEqual([text, 2]);
    }
  });

  test('only who did it a span before the end of the period may leave it', () => {
    const read = readIn('{"event":"Bought","within":{"last":"24h"}}');
    const bounds = boundsWithin(read.ok ? read.definition : expect.fail('not read'), HOUR);
    const messages = messagesOf({
      said: [26n, 24n, 23n, 22n].map((age, index) => bought(index, age * HOUR - 1n)),
    });
    const inOnlyOne = new Set(audienceOf(bounds.may, messages, NOW)).difference(
      audienceOf(bounds.always, messages, NOW),
    );

    expect(inOnlyOne).toEqual(new Set([keyOf(messages, 'user 1')]));
  });
});

interface Looked {
  readonly span: Micros;
  /** Where in the span it is looked at, as shares of it. */
  readonly places: readonly number[];
  readonly text: string;
}

function expectBounds(audience: Audience, messages: readonly Message[], { span, places, text }: Looked): void {
  const { may, always } = boundsWithin(audience, span);
  const ever = audienceOf(may, messages, NOW);
  const throughout = audienceOf(always, messages, NOW);
  const changing = mayChange(audience, span);
  const between = changing === null ? new Set() : new Set(audienceOf(changing, messages, NOW));
  expect([text, between]).toEqual([text, new Set(ever).difference(throughout)]);
  const inside = places.map((place) => BigInt(Math.floor(Number(span) * place)));
  // Ends of periods pass events at whole hours after these.
  const passing = messages.slice(0, 3).map(({ timestamp }) => (((NOW - timestamp) % span) + span) % span);
  for (const offset of new Set([0n, span, ...inside, ...passing, ...passing.map((one) => one + 1n)])) {
    if (offset > span) continue;
    const members = audienceOf(audience, messages, NOW + offset);

    expect([text, offset, members.difference(ever)]).toEqual([text, offset, new Set()]);
    expect([text, offset, throughout.difference(members)]).toEqual([text, offset, new Set()]);
  }
}

function bought(user: number, age: Micros): History['said'][number] {
  const message = { user: `user ${user}`, isNameless: false, age, body: '{}' };
  return { type: 'track', said: message, event: 'Bought', id: user, movesTo: age };
}

function keyOf(messages: readonly Message[], user: string): string {
  return userKeyOf(messages[0]?.projectId ?? '', user);
}
