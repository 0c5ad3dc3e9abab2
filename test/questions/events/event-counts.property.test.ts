import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { type Counts, countEvents } from '../../../services/questions/events/event-counts.ts';
import { listEvents, type UserEvent } from '../../../services/questions/events/event-list.ts';
import {
  type CountsQuestion,
  readCountsQuestion,
  readEventsQuestion,
} from '../../../services/questions/events/read-question.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { keepJoined, namedBy, namings, rewritten } from '../../support/messages/joined-history.ts';
import { label, naiveCounts, naiveEvents, type NaiveMeasure } from '../../support/messages/naive-counts.ts';
import { propertyRun } from '../../support/property-run.ts';
import { definitionAbout, EVENTS, object, type Spot, spotsIn } from '../../support/messages/random-audience.ts';
import { AUDIENCES, exactly } from '../../support/messages/random-history.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const NOW = BigInt(Date.UTC(2027, 0, 8, 12, 20)) * 1000n;

function contextOf([first]: readonly Message[]) {
  return { projectId: first!.projectId, now: NOW };
}
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Havana'];
const USERS = ["o'{p0:String}", 'ada', 'bob', 'eve', 'kim'];

// Around changes of the clock in these zones, midnights in them, and the end of the year.
const TIMES = [
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T01:00:00Z',
  '2026-04-04T14:45:00Z',
  '2026-04-04T15:15:00Z',
  '2026-10-03T15:29:00Z',
  '2026-10-03T15:31:00Z',
  '2026-10-24T22:00:00Z',
  '2026-10-25T00:30:00Z',
  '2026-10-25T01:30:00Z',
  '2026-10-25T23:00:00Z',
  '2026-11-01T04:30:00Z',
  '2026-11-01T05:30:00Z',
  '2026-11-01T06:30:00Z',
  '2026-12-27T18:14:59.999Z',
  '2026-12-27T18:15:00Z',
  '2026-12-31T23:30:00Z',
  '2027-01-03T22:59:59.999Z',
  '2027-01-03T23:00:00Z',
].map((time) => BigInt(Date.parse(time)) * 1000n);

const happened = fc.record({
  user: fc.constantFrom(...USERS),
  isTrack: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  event: fc.constantFrom(...EVENTS),
  // Few, so that there are repeats, under the same timestamp and under others.
  id: fc.nat(3),
  time: fc.constantFrom(...TIMES),
  body: object,
});
const history = fc.array(happened, { minLength: 60, maxLength: 120, size: 'max' });

const periods = {
  hour: ['["2026-10-24","2026-10-27"]', '["2026-03-28T21:30:00Z","2026-04-05"]', '["2026-10-31","2026-11-02T03:20"]'],
  day: [
    '["2026-10-20","2026-11-03"]',
    '["2026-10-25T00:45:00Z","2026-11-01T05:00:00Z"]',
    '["2026-10-01T12:00","2026-10-26"]',
    '["2026-12-26","2027-01-05"]',
  ],
  week: ['["2026-09-30","2026-11-10"]', '["2026-12-20","2027-01-06"]', '["100d","1h"]'],
} as const;

function questionAbout(spots: readonly Spot[]): fc.Arbitrary<string> {
  const path = fc.constantFrom(...spots).map((one) => JSON.stringify(one.path));
  const numeric = spots.filter(({ value }) => /^[-\d]/.test(value));
  const number = fc.constantFrom(...(numeric.length > 0 ? numeric : spots)).map((one) => JSON.stringify(one.path));
  const measure = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('"measure":"count"', '"measure":"users"') },
    { weight: 1, arbitrary: number.map((of) => `"measure":"sum","of":${of}`) },
    { weight: 1, arbitrary: number.map((of) => `"measure":"average","of":${of}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(number, fc.constantFrom(0, 12.5, 50, 99, 100))
        .map(([of, p]) => `"measure":"percentile","of":${of},"p":${p}`),
    },
  );
  const time = fc.oneof(
    ...(['hour', 'day', 'week'] as const).map((interval) =>
      fc
        .constantFrom(...periods[interval])
        .map((between) => `"interval":"${interval}","within":{"between":${between}}`),
    ),
    fc.constantFrom('"within":{"last":"60d"}', '"within":{"before":"2026-12-31"}', '"within":{"since":"2026-10-25"}'),
  );
  const by = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom('property', 'trait'), path) },
    { weight: 1, arbitrary: fc.constant(['event', 'true'] as const) },
  );
  const split = fc
    .tuple(by, fc.constantFrom(1, 2, 50))
    .map(([[kind, of], top]) => `"split":{"${kind}":${of},"top":${top}}`);
  const where = fc
    .constantFrom(...spots)
    .chain(({ path: of, value }) =>
      fc
        .constantFrom(`"is_not":${value}`, '"exists":true')
        .map((test) => `"where":[{"property":${JSON.stringify(of)},${test}}]`),
    );
  const event = fc.constantFrom(...EVENTS.map((name) => JSON.stringify(name)), JSON.stringify(EVENTS.slice(1)));
  const maybe = (part: fc.Arbitrary<string>) => fc.option(part, { freq: 2, nil: '' });
  const members = fc
    .tuple(
      measure,
      time,
      fc.constantFrom(...ZONES).map((zone) => `"timezone":"${zone}"`),
      maybe(split),
      maybe(where),
      maybe(event.map((names) => `"event":${names}`)),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: definitionAbout(spots).map((users) => `"users":${users}`) },
      ),
    )
    .map((parts) => parts.filter((part) => part !== ''));
  // Any copy of a message may count in those about days of UTC.
  const plain = fc.tuple(
    fc.constantFrom('"measure":"count"', '"measure":"users"'),
    time,
    fc.constantFrom('UTC', 'UTC', 'Europe/Berlin').map((zone) => `"timezone":"${zone}"`),
  );
  return fc
    .oneof({ weight: 2, arbitrary: members }, { weight: 1, arbitrary: plain })
    .map((parts) => `{${parts.join(',')}}`);
}

const historyAndQuestions = fc.noShrink(history).chain((past) => {
  const spots = past.flatMap(({ body }) => spotsIn(exactly(body) as object));
  const about = spots.length > 0 ? spots : [{ path: ['a'], value: '1' }];
  return fc.tuple(fc.constant(past), fc.array(questionAbout(about), { minLength: 1, maxLength: 20, size: 'max' }));
});

type Happened = typeof happened extends fc.Arbitrary<infer T> ? T : never;

function messagesOf(make: MessageMaker, past: readonly Happened[]): Message[] {
  return past.map(({ user, isTrack, event, id, time, body }) => {
    const who = { userId: user, userKey: userKeyOf(make.projectId, user) };
    if (!isTrack) return make.identify({ ...who, traits: body, timestamp: time });
    return make.track({ ...who, event, properties: body, messageId: `m${id}`, timestamp: time });
  });
}

describe.each(await testedAnalytics())('questions about events in $name', (tested) => {
  const store = sharedStore(tested);

  // Where ids are joined, of the same history with the user ids in their place.
  test.each([false, true])(
    'an answer is the one that a reference evaluation of every message finds: joined %j',
    async (joins) => {
      await fc.assert(
        fc.asyncProperty(historyAndQuestions, namings, async ([past, texts], names) => {
          const given = messagesOf(new MessageMaker(), past);
          const messages = joins ? namedBy(given, names, { users: USERS, devices: 4 }) : given;
          const half = Math.ceil(messages.length / 2);
          await insert(store(), messages.slice(half), BigInt(half));
          await insert(store(), messages.slice(0, half));
          await insert(store(), messages.slice(half), BigInt(half));
          if (joins) await keepJoined(store(), messages);
          for (const text of texts) await expectCounts(text, joins ? rewritten(messages) : messages, joins);
          if (!joins) for (const text of texts) await expectEvents(text, messages);
        }),
        propertyRun(5 * tested.share),
      );
    },
    240_000,
  );

  test('a copy with another time of the day and other properties counts nowhere', async () => {
    const make = new MessageMaker();
    const past = (time: string, plan: string) => {
      const at = BigInt(Date.parse(time)) * 1000n;
      const [event = ''] = EVENTS;
      return { user: 'ada', isTrack: true, event, id: 1, time: at, body: `{"plan":"${plan}"}` };
    };
    const [first, copy] = messagesOf(make, [
      past('2026-10-25T00:30:00Z', 'free'),
      past('2026-10-25T01:30:00Z', 'pro'),
    ]) as [Message, Message];
    await insert(store(), [copy], 1n);
    await insert(store(), [first]);
    const countedIn = async (parts: string): Promise<number> => {
      const read = readCountsQuestion(requestOf(`{"measure":"count","timezone":"UTC",${parts}}`));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      const counts = await countEvents(new QueryBudget(store(), AMPLE), contextOf([first]), read.value);
      return (counts?.series[0]?.values ?? []).reduce<number>((sum, value) => sum + Number(value), 0);
    };
    const days = '"interval":"day","within":{"between":["2026-10-25","2026-10-27"]}';

    expect(await countedIn(days)).toBe(1);
    expect(await countedIn(`${days},"where":[{"property":"plan","is":"free"}]`)).toBe(1);
    expect(await countedIn(`${days},"where":[{"property":"plan","is":"pro"}]`)).toBe(0);
    expect(await countedIn('"interval":"day","within":{"between":["2026-10-25T00:45:00Z","2026-10-27"]}')).toBe(0);
    expect(await countedIn('"within":{"between":["2026-10-25T00:45:00Z","2026-10-27"]}')).toBe(0);
  });

  async function expectCounts(text: string, messages: readonly Message[], joins: boolean): Promise<void> {
    const read = readCountsQuestion(requestOf(text));
    if (!read.ok) return expectNeverDone(read.problems);
    const question = read.value;
    const naive = naiveCounts(question, messages, NOW);

    const counts = await countEvents(new QueryBudget(store(), AMPLE), { ...contextOf(messages), joins }, question);

    if (counts === undefined) throw new Error(`too many buckets: ${text}`);
    expect([text, labelsOf(question, counts)]).toEqual([text, naive.labels]);
    const isRanked = question.measure.kind === 'count' || question.measure.kind === 'users';
    // Averages and sums of doubles may be ranked otherwise by their last digits.
    if (!isRanked && naive.series.some(([value]) => value === 'other')) return;
    const found = counts.series.map(({ value, isOther, values }) => [isOther ? 'other' : value, values] as const);
    if (isRanked) expect([text, found]).toEqual([text, naive.series]);
    expect([text, found.map(([value]) => value).toSorted()]).toEqual([
      text,
      naive.series.map(([value]) => value).toSorted(),
    ]);
    for (const [value, values] of naive.series) {
      const own = found.find(([name]) => name === value)?.[1] ?? [];
      values.forEach((wanted, index) => expectMeasure(text, own[index], wanted));
    }
  }

  async function expectEvents(text: string, messages: readonly Message[]): Promise<void> {
    const { event, where, within, users } = exactly(text) as Record<string, unknown>;
    const read = readEventsQuestion(requestOf(JSON.stringify({ event, where, within, users, limit: 7 })));
    if (!read.ok) return;
    const found: UserEvent[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const body = JSON.stringify({ event, where, within, users, limit: 7, ...(cursor !== '' && { cursor }) });
      const next = readEventsQuestion(requestOf(body));
      if (!next.ok) throw new Error(JSON.stringify(next.problems));
      const page = await listEvents(new QueryBudget(store(), AMPLE), contextOf(messages), next.value);
      found.push(...page.events);
      cursor = page.nextCursor;
    }
    const naive = naiveEvents(read.value, messages, NOW, NOW * 2n).map((track) =>
      JSON.stringify([
        String(track.timestamp),
        track.messageId,
        track.event,
        track.userKey.slice(0, 32),
        track.properties,
      ]),
    );
    const keys = found.map((one) =>
      JSON.stringify([String(one.timestamp), one.messageId, one.event, one.userKey.slice(0, 32), one.properties]),
    );
    expect([text, keys.toSorted()]).toEqual([text, naive.toSorted()]);
    const times = found.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((one, other) => (one > other ? -1 : one < other ? 1 : 0)));
  }
});

/** A condition of `users` may be refused: never done, with a first or last time or a measure. */
function expectNeverDone(errors: readonly object[]): void {
  expect(errors).toEqual([
    { path: expect.stringMatching(/^\/users.*\/(count|measure)$/), message: expect.any(String) },
  ]);
}

function labelsOf({ interval, timezone }: CountsQuestion, { current }: Counts): readonly string[] {
  if (interval === null || current.buckets === null) return ['whole'];
  return current.buckets.buckets.map(({ start }) => label(start, interval, timezone));
}

function expectMeasure(text: string, found: string | undefined, wanted: NaiveMeasure): void {
  if (typeof wanted === 'string') return expect([text, found]).toEqual([text, wanted]);
  // Past the range of doubles.
  if (found === 'null' && wanted.near !== null) return expect(Math.abs(wanted.near)).toBeGreaterThan(1e307);
  const value = found === 'null' ? null : Number(found);
  const isNear =
    value === wanted.near || Math.abs((value ?? NaN) - (wanted.near ?? NaN)) <= 1e-9 * Math.abs(wanted.near ?? 0);
  expect([text, found, wanted.near, isNear]).toEqual([text, found, wanted.near, true]);
}

function requestOf(text: string): Parameters<typeof readCountsQuestion>[0] {
  return { project: PROJECT, text, audiences: AUDIENCES };
}
