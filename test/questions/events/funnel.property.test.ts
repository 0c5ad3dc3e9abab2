import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, Track } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { type EventCondition, inSequence } from '../../../services/questions/definition/audience.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { countFunnel } from '../../../services/questions/events/funnel.ts';
import { type FunnelQuestion, readFunnel } from '../../../services/questions/events/read-funnel.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { keepJoined, namedBy, namings, rewritten } from '../../support/messages/joined-history.ts';
import { audienceOf, History, memberPasses, parsed } from '../../support/messages/naive-audience.ts';
import { splitValue, tag } from '../../support/messages/naive-counts.ts';
import { lies } from '../../support/messages/naive-dates.ts';
import { EVENTS } from '../../support/messages/random-audience.ts';
import { objectOf } from '../../support/messages/random-events.ts';
import { exactly, NOW } from '../../support/messages/random-history.ts';
import { propertyRun } from '../../support/property-run.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const HOUR = 3_600_000_000n;
const QUESTIONS_OF_EACH = 15;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'];
const SIX_USERS = { users: ['ada', 'bob', 'eve', 'kim', 'max', 'zoe'], devices: 4 };
// Often of one time, and on both sides of midnight in each of the zones.
const OFTEN_EQUAL = [0n, 1n, 2n, 11n, 12n, 13n, 16n, 17n, 18n, 36n, 60n, 61n].map((hours) => hours * HOUR);

const anyMessage = fc.record({
  user: fc.constantFrom(...SIX_USERS.users),
  isTrack: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  event: fc.constantFrom(...EVENTS),
  // Some are sent twice, at times under another timestamp.
  id: fc.nat(40),
  age: fc.constantFrom(...OFTEN_EQUAL),
  more: fc.constantFrom(0n, 0n, 1n, -1n),
  body: fc.constantFrom('{"n":1}', '{"n":2}', '{"n":"1","plan":true}', '{"plan":"pro"}', '{"plan":null}', '{}'),
});
const history = fc.array(anyMessage, { minLength: 60, maxLength: 120, size: 'max' });

const json = (text: unknown) => JSON.stringify(text);
const event = fc.constantFrom(...EVENTS.map(json), json(EVENTS.slice(1)), '{"any":true}');
const seldom = (part: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: part });
const where = seldom(fc.constantFrom('[{"property":"n","gte":1}]', '[{"property":"n","is_not":1}]'));
const within = fc.constantFrom('"1h"', '"6h"', '"12h"', '"1d"', '"2d"', '"4w"');
const anyPeriod = seldom(
  fc.constantFrom(
    '{"last":"40h"}',
    '{"since":"2026-11-19"}',
    '{"between":["2026-11-18","2026-11-20"]}',
    '{"before":"1h"}',
  ),
);
const withGiven = (given: Readonly<Record<string, string | undefined>>) =>
  objectOf(Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined));

const sequence = fc
  .tuple(
    fc.record({ event, where, within: anyPeriod }),
    fc.array(fc.record({ event, where, within }), { minLength: 1, maxLength: 4 }),
  )
  .map(([first, later]) => {
    const next = later.reduceRight<string | undefined>(
      (one, step) => withGiven({ ...step, followed_by: one }),
      undefined,
    );
    return withGiven({ ...first, followed_by: next });
  });
const question = fc
  .record({
    sequence,
    users: seldom(
      fc.constantFrom('{"trait":"plan","exists":true}', '{"not":{"event":"Bought","within":{"last":"12h"}}}'),
    ),
    split: fc.constantFrom(undefined, '{"trait":"plan"}', '{"trait":"n","top":1}'),
  })
  .map(withGiven);

function messagesIn(past: readonly (typeof anyMessage extends fc.Arbitrary<infer T> ? T : never)[]): Message[] {
  const make = new MessageMaker();
  return past.map(({ user, isTrack, event: name, id, age, more, body }) => {
    const who = { userId: user, userKey: userKeyOf(make.projectId, user), timestamp: NOW - age - more };
    if (!isTrack) return make.identify({ ...who, traits: body });
    return make.track({ ...who, event: name, properties: body, messageId: `m${id}` });
  });
}

/** How many of the steps some events of one person make, one after the other, the slow way. */
function stepsOf(steps: readonly EventCondition[], events: readonly Track[], before?: Before): number {
  const [step, ...rest] = steps;
  if (step === undefined) return 0;
  const found = events.filter((one) => isStep(step, one) && (before === undefined || isNext(before, one)));
  const within = step.sequence?.within ?? 0n;
  return Math.max(0, ...found.map((one) => 1 + stepsOf(rest, events, { event: one, within })));
}

interface Before {
  readonly event: Track;
  readonly within: bigint;
}

function isStep({ events, where: tests, within: time }: EventCondition, { event: name, properties, timestamp }: Track) {
  const isNamed = events === null || events.includes(name);
  return isNamed && lies(timestamp, time, NOW) && tests.every((one) => memberPasses(parsed(properties), one, NOW));
}

function isNext({ event: one, within: time }: Before, other: Track): boolean {
  if (other.timestamp > one.timestamp + time) return false;
  if (one.timestamp !== other.timestamp) return other.timestamp > one.timestamp;
  return other.receivedAt > one.receivedAt;
}

/** The users who reached each step, in all and by the value of the trait. */
function naiveFunnel({ sequence: chain, users, split }: FunnelQuestion, messages: readonly Message[]) {
  const steps = inSequence(chain);
  const among = users && audienceOf(users, messages, NOW);
  const keys = [...new Set(messages.map(({ userKey }) => userKey))].filter((key) => among?.has(key) ?? true);
  const persons = keys.map((key) => {
    const events = new History(messages, key).events(null);
    const value = split === null || events[0] === undefined ? 'null' : splitValue(split, events[0], messages);
    return { value, steps: stepsOf(steps, events) };
  });
  const reached = (some: typeof persons) => steps.map((_, index) => some.filter((one) => one.steps > index).length);
  const started = persons.filter((one) => one.steps > 0);
  const values = [...Map.groupBy(started, ({ value }) => value)]
    .map(([value, some]) => ({ value, isOther: false, reached: reached(some) }))
    .toSorted((one, other) => other.reached[0]! - one.reached[0]! || Buffer.compare(tag(one.value), tag(other.value)));
  const top = split?.top ?? 0;
  const rest = started.filter(({ value }) => values.slice(top).some((one) => one.value === value));
  const other = values.length > top ? [{ value: 'null', isOther: true, reached: reached(rest) }] : [];
  return { reached: reached(persons), series: split === null ? [] : [...values.slice(0, top), ...other] };
}

describe.each(await testedAnalytics())('a funnel in $name', (tested) => {
  const store = sharedStore(tested);

  // Where ids are joined, of the same history with the user ids in their place. 300 questions together.
  test.each([false, true])(
    'a funnel counts the users that a reference evaluation of every message finds, and those of its audiences: joined %j',
    async (joins) => {
      const questions = fc.array(question, { minLength: QUESTIONS_OF_EACH, maxLength: QUESTIONS_OF_EACH });
      await fc.assert(
        fc.asyncProperty(fc.noShrink(history), namings, questions, async (past, names, texts) => {
          const messages = joins ? namedBy(messagesIn(past), names, SIX_USERS) : messagesIn(past);
          const half = Math.ceil(messages.length / 2);
          await insert(store(), messages.slice(half), BigInt(half));
          await insert(store(), messages.slice(0, half));
          if (joins) await keepJoined(store(), messages);
          const known = joins ? rewritten(messages) : messages;
          for (const [index, text] of texts.entries())
            await expectFunnel(text, ZONES[index % 3]!, known, { joins, isOfAudiences: index % 5 === 0 });
        }),
        propertyRun(10 * tested.share),
      );
    },
    240_000,
  );

  async function expectFunnel(
    text: string,
    timezone: string,
    messages: readonly Message[],
    { joins, isOfAudiences }: { readonly joins: boolean; readonly isOfAudiences: boolean },
  ) {
    const read = readFunnel({ text, project: { ...PROJECT, timezone } });
    if (!read.ok) throw new Error(`${text}: ${JSON.stringify(read.problems)}`);
    const options = { projectId: messages[0]!.projectId, now: NOW, joins };
    const count = async (definition: string | null) => {
      const audience = readDefinition(exactly(definition ?? ''), { timezone });
      if (!audience.ok) throw new Error(`${definition}: ${JSON.stringify(audience.problems)}`);
      const budget = new QueryBudget(store(), AMPLE);
      return (await previewAudience(budget, audience.definition, { ...options, sampleSize: 0 })).count;
    };

    const { reached, series } = await countFunnel(new QueryBudget(store(), AMPLE), options, read.value);

    expect({ text, timezone, reached, series }).toEqual({ text, timezone, ...naiveFunnel(read.value, messages) });
    // One in five: each is nine questions more.
    if (!isOfAudiences) return;
    const counted = [];
    for (const { reached: definition, dropped } of read.value.audiences)
      counted.push([await count(definition), dropped === null ? null : await count(dropped)]);
    const drops = reached.map((users, index) =>
      index + 1 === reached.length ? null : users - (reached[index + 1] ?? 0),
    );
    expect({ text, counted }).toEqual({ text, counted: reached.map((users, index) => [users, drops[index]]) });
  }
});
