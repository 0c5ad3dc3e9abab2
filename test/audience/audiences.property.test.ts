import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Audiences } from '../../services/audience/audiences.ts';
import { readDefinition } from '../../services/audience/definition.ts';
import { parseBody } from '../../services/messages/json.ts';
import type { Message } from '../../services/messages/message.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../support/analytics.ts';
import { sharedStore, testedAnalytics } from '../support/analytics-stores.ts';
import { audienceOf } from '../support/naive-audience.ts';
import { AGES, definitionAbout, EVENTS, object, occurrencesIn } from '../support/random-audience.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const NOW = BigInt(NOW_MS) * 1000n;
const USERS = ["o'{p0:String}", ...Array.from({ length: 29 }, (_, index) => `user ${index}`)];

const said = fc.record({
  user: fc.constantFrom(...USERS),
  /** Only the internal id is given. */
  isNameless: fc.boolean(),
  age: fc.constantFrom(...AGES),
  body: object,
});
const tracked = fc.record({
  type: fc.constant('track' as const),
  said,
  event: fc.constantFrom(...EVENTS),
  // Few, so that there are repeats; a repeat has the timestamp of its id unless it moves to another day.
  id: fc.nat(5),
  movesTo: fc.option(fc.constantFrom(...AGES), { freq: 5, nil: null }),
});
const identified = fc.record({ type: fc.constant('identify' as const), said });
const happened = fc.oneof({ weight: 2, arbitrary: tracked }, { weight: 1, arbitrary: identified });

const history = fc.record({
  said: fc.array(happened, { minLength: 200, maxLength: 300, size: 'max' }),
  /** In how many inserts, and which is done twice. */
  chunks: fc.integer({ min: 1, max: 3 }),
  again: fc.nat(2),
});

const pastAndDefinitions = fc.noShrink(history).chain((past) => {
  const occurrences = past.said.flatMap(({ said }) => occurrencesIn(exactly(said.body) as object));
  return fc.tuple(
    fc.constant(past),
    fc.array(definitionAbout(occurrences), { minLength: 1, maxLength: 60, size: 'max' }),
  );
});

function exactly(text: string): unknown {
  const body = parseBody(text);
  return body.ok ? body.value.exact : undefined;
}

type Happened = typeof happened extends fc.Arbitrary<infer T> ? T : never;

function messageOf(make: MessageMaker, one: Happened): Message {
  const { user, isNameless, age, body } = one.said;
  const who = { userId: isNameless ? null : user, userKey: userKeyOf(make.projectId, user) };
  if (one.type === 'identify') return make.identify({ ...who, traits: body, timestamp: NOW - age });
  const timestamp = NOW - (one.movesTo ?? AGES[one.id % AGES.length]!);
  return make.track({ ...who, event: one.event, properties: body, messageId: `m${one.id}`, timestamp });
}

function userIdsOf(users: ReadonlySet<string>, messages: readonly Message[]): string[] {
  const named = messages.filter(({ userKey, userId }) => users.has(userKey) && userId !== null);
  return [...new Set(named.map(({ userId }) => userId ?? ''))].toSorted((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
}

describe.each(await testedAnalytics())('an audience in $name', (tested) => {
  const store = sharedStore(tested);

  test('has the users that reading every message finds, whatever was sent, repeated and inserted twice', async () => {
    await fc.assert(
      fc.asyncProperty(pastAndDefinitions, async ([past, definitions]) => {
        const make = new MessageMaker();
        const messages = past.said.map((one) => messageOf(make, one));
        const size = Math.ceil(messages.length / past.chunks);
        const starts = Array.from({ length: past.chunks }, (_, index) => index * size);
        // The last first: the order of inserts must not matter.
        for (const start of [...starts.toReversed(), starts[past.again] ?? 0]) {
          await insert(store(), messages.slice(start, start + size), BigInt(start));
        }
        for (const text of definitions) await expectAgreement(text, messages);
      }),
      { numRuns: Math.ceil(10 * tested.share) },
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
