import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { whyJson } from '../../../services/questions/explain/to-json.ts';
import { explainMembership, type Why } from '../../../services/questions/explain/why.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedAnalytics } from '../../support/stores/analytics-stores.ts';
import { HOSTILE, hostileMembers } from '../../support/messages/hostile.ts';
import { exactly, NOW } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const HOUR = 3_600_000_000n;
const DAY = 24n * HOUR;
const AUDIENCES = new Map([['aud_1', { name: 'Recent', definition: { event: 'Bought', within: { last: '2d' } } }]]);

describe.each(await testedAnalytics())('why, in $name', (tested) => {
  const analytics = sharedAnalytics(tested);
  const store = () => analytics().store;

  async function why(make: MessageMaker, definition: unknown, userId = 'ada', eventsShown = 10) {
    const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
    const read = readDefinition(exactly(text), { timezone: 'UTC', audiences: AUDIENCES });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const { projectId } = make;
    const options = { projectId, userKey: userKeyOf(projectId, userId), now: NOW, eventsShown };
    return explainMembership(store(), AMPLE, read.definition, '/definition', options);
  }

  async function evaluationOf(
    make: MessageMaker,
    definition: unknown,
    eventsShown?: number,
  ): Promise<Why['evaluation']> {
    const found = await why(make, definition, 'ada', eventsShown);
    if (found === undefined) throw new Error('nobody knows them');
    return found.evaluation;
  }

  test('why names the deciding events, their number, and when the oldest of them no longer counts', async () => {
    const make = new MessageMaker();
    const bought = [1n, 20n, 29n, 31n].map((days) =>
      make.track({ event: 'Bought', messageId: `m${days}`, properties: '{"total":60}', timestamp: NOW - days * DAY }),
    );
    const cheap = make.track({ event: 'Bought', properties: '{"total":5}', timestamp: NOW - DAY });
    await insert(store(), [...bought, bought[1]!, cheap]);
    const condition = { event: 'Bought', where: [{ property: 'total', gt: 50 }], within: { last: '30d' } };

    const found = await evaluationOf(make, { ...condition, count: { at_least: 3 } }, 2);

    expect(found).toMatchObject({
      kind: 'event',
      path: '/definition',
      isMet: true,
      changesAt: NOW + DAY + 1n,
      count: 3,
      first: { messageId: 'm29' },
      last: { messageId: 'm1' },
      events: [{ messageId: 'm1', timestamp: NOW - DAY }, { messageId: 'm20' }],
    });
  });

  test('why says when somebody becomes a member by the passing of time alone', async () => {
    const make = new MessageMaker();
    await insert(store(), [make.track({ event: 'Signed In', timestamp: NOW - 3n * DAY })]);

    const lapsed = { event: 'Signed In', last: { before: '7d' } };
    const silent = { event: 'Signed In', count: { at_most: 0 }, within: { last: '7d' } };

    expect(await evaluationOf(make, lapsed)).toMatchObject({ isMet: false, changesAt: NOW + 4n * DAY + 1n });
    expect(await evaluationOf(make, silent)).toMatchObject({ isMet: false, changesAt: NOW + 4n * DAY + 1n });
    expect(await evaluationOf(make, { all: [lapsed, silent] })).toMatchObject({ changesAt: NOW + 4n * DAY + 1n });
    expect(await evaluationOf(make, { any: [lapsed, { not: lapsed }] })).toMatchObject({
      isMet: true,
      changesAt: null,
    });
  });

  test('why says when a moving date passes the value of a trait', async () => {
    const make = new MessageMaker();
    const traits = '{"up":"2026-11-20T11:00:00Z","ends":"2026-11-29","born":"1990-11-20","paid":1795176000.5}';
    await insert(store(), [make.identify({ traits })]);
    const midnight = NOW + 12n * HOUR;

    const conditions = [
      { trait: 'up', date: { last: '1h' } },
      { trait: 'ends', date: { next: '7d' } },
      { trait: 'born', date: { anniversary: 'today' } },
      { trait: 'born', date: { anniversary: { next: '7d' } } },
      { trait: 'paid', date: { before: '1d', epoch: 'seconds' } },
    ];
    const found = await Promise.all(conditions.map((condition) => evaluationOf(make, condition)));

    expect(found).toMatchObject([
      { isMet: true, changesAt: NOW + 1n, condition: 'whose "up" is a date in the last 1 hour' },
      { isMet: false, changesAt: NOW + 36n * HOUR, condition: 'whose "ends" is a date in the next 7 days' },
      { isMet: true, changesAt: midnight, condition: 'whose "born" has its anniversary today' },
      { isMet: true, changesAt: midnight, condition: 'whose "born" has its anniversary in the next 7 days' },
      { isMet: false, changesAt: NOW + DAY + 500_001n },
    ]);
  });

  test('a number beyond all times is no date', async () => {
    const make = new MessageMaker();
    await insert(store(), [
      make.identify({ traits: '{"huge":1e400}' }),
      make.track({ event: 'A', properties: '{"huge":-1e308}' }),
    ]);
    const date = { before: '1d', epoch: 'seconds' };

    expect(await evaluationOf(make, { trait: 'huge', date })).toMatchObject({ isMet: false, changesAt: null });
    expect(await evaluationOf(make, { event: 'A', where: [{ property: 'huge', date }] })).toMatchObject({ count: 0 });
  });

  test('why says when a moving date passes a property, and how many events it leaves', async () => {
    const make = new MessageMaker();
    const booked = [2n, 5n].map((days) =>
      make.track({ event: 'Booked', properties: `{"day":${(NOW + days * DAY) / 1_000_000n}}`, timestamp: NOW - DAY }),
    );
    await insert(store(), booked);
    const condition = { event: 'Booked', where: [{ property: 'day', date: { next: '3d', epoch: 'seconds' } }] };

    expect(await evaluationOf(make, condition)).toMatchObject({
      isMet: true,
      count: 1,
      changesAt: NOW + 5n * DAY + 1n,
    });
    expect(await evaluationOf(make, { ...condition, count: { exactly: 2 } })).toMatchObject({
      isMet: false,
      changesAt: NOW + 2n * DAY,
    });
  });

  test('why tells of another audience what it is made of, and when that changes', async () => {
    const make = new MessageMaker();
    await insert(store(), [make.track({ event: 'Bought', timestamp: NOW - DAY })]);

    expect(await evaluationOf(make, { not: { audience: 'aud_1' } })).toMatchObject({
      isMet: false,
      changesAt: NOW + DAY + 1n,
      of: [
        {
          path: '/definition/not',
          kind: 'audience',
          condition: 'who are in the audience "Recent"',
          isMet: true,
          changesAt: NOW + DAY + 1n,
          of: [{ path: '/definition/not/audience', kind: 'event', count: 1 }],
        },
      ],
    });
  });

  test('why says where in a sample somebody is', async () => {
    const make = new MessageMaker();
    await insert(store(), [make.track({})]);
    const seed = 'spring';

    const whole = await evaluationOf(make, { sample: { percent: 100, seed } });
    const position = whole.kind === 'sample' ? whole.position : 0;
    const more = Math.round(position * 100 + 1) / 100;
    const below = await evaluationOf(make, { sample: { percent: Math.max(position, 0.01), seed } });
    const above = await evaluationOf(make, { sample: { percent: more, seed } });

    expect([whole.isMet, below.isMet, above.isMet]).toEqual([true, false, true]);
    expect(above).toMatchObject({
      condition: `who are in the sample of ${more} % by the seed "spring"`,
      changesAt: null,
    });
  });

  test('why names the events of several names by their names', async () => {
    const make = new MessageMaker();
    await insert(store(), [
      make.track({ event: 'A', messageId: 'm', timestamp: NOW - 3n * HOUR }),
      make.track({ event: 'B', messageId: 'm', timestamp: NOW - 2n * HOUR }),
      make.track({ event: 'C', messageId: 'm', timestamp: NOW - HOUR }),
    ]);

    const named = await evaluationOf(make, { event: ['A', 'B'] });
    const any = await evaluationOf(make, { event: { any: true }, first: { last: '3h' } });

    expect(named).toMatchObject({ count: 2, events: [{ event: 'B' }, { event: 'A' }], condition: expect.any(String) });
    expect(named.condition).toBe('who did "A" or "B"');
    expect(any).toMatchObject({ count: 3, first: { event: 'A' }, last: { event: 'C' }, changesAt: NOW + 1n });
    expect(any.condition).toBe('who did anything, the first time ever in the last 3 hours');
  });

  test('why shows the value of a trait with every digit, and the time of that version', async () => {
    const make = new MessageMaker();
    const receivedAt = NOW - 5n;
    await insert(store(), [
      make.identify({
        traits: '{"n":9007199254740993,"deep":{"list":[1e400,0.10]}}',
        timestamp: NOW - DAY,
        receivedAt,
      }),
      make.identify({ traits: '{"gone":1}', timestamp: NOW - 2n * DAY, receivedAt }),
      make.identify({ traits: '{"gone":null}', timestamp: NOW - DAY, receivedAt }),
      make.identify({ traits: '{"ahead":1}', timestamp: NOW + DAY, receivedAt }),
    ]);
    const paths = ['n', ['deep', 'list'], ['deep', 'none'], 'gone', 'never', 'ahead'];

    const found = await why(make, { any: paths.map((trait) => ({ trait, exists: true })) });
    const shown = whyJson(found!);

    const times = { timestamp: NOW - DAY, receivedAt };
    expect(found?.evaluation).toMatchObject({
      of: [
        { isMet: true, changesAt: null, setBy: { ...times, isDeleted: false } },
        { isMet: true, setBy: times },
        { isMet: false, value: undefined, setBy: times },
        { isMet: false, value: undefined, setBy: { ...times, isDeleted: true } },
        { isMet: false, value: undefined, setBy: null },
        // A time yet to come counts as that of its arrival.
        { isMet: true, setBy: { timestamp: receivedAt, receivedAt } },
      ],
    });
    expect(shown).toContain('"value":9007199254740993,');
    expect(shown).toContain('"value":[1e400,0.1]');
  });

  test('events of two names with one message id are two events, merged or not', async () => {
    const make = new MessageMaker();
    const copies = ['A', 'B'].map((event) => make.track({ event, messageId: 'm', timestamp: NOW - DAY }));
    await insert(store(), copies);
    await analytics().byHand('OPTIMIZE TABLE user_track_rows FINAL');

    expect(await evaluationOf(make, { all: [{ event: 'A' }, { event: 'B' }] })).toMatchObject({ isMet: true });
  });

  test('why is undefined for a user whom no message names', async () => {
    const make = new MessageMaker();
    await insert(store(), [make.track()]);

    expect(await why(make, { not: { event: 'X' } }, 'stranger')).toBeUndefined();
    expect(await why(new MessageMaker(), { not: { event: 'X' } })).toBeUndefined();
  });

  test('why reads the rows of the user alone, however many other users have', async () => {
    const make = new MessageMaker();
    const others = Array.from({ length: 25_000 }, (_, index) =>
      make.track({ userId: `u${index % 5_000}`, event: 'Bought', properties: '{"total":60}', timestamp: NOW - HOUR }),
    );
    await insert(store(), [
      ...others,
      make.track({ event: 'Bought', properties: '{"total":60}', timestamp: NOW - HOUR }),
    ]);

    const found = await why(make, { event: 'Bought', where: [{ property: 'total', gt: 50 }], within: { last: '30d' } });

    expect(found).toMatchObject({ evaluation: { isMet: true, count: 1 } });
    // A granule or two of 8,192 rows in each of two tables.
    expect(found?.rowsRead).toBeLessThan(25_000);
  });

  test.each(HOSTILE)('why compares the text %j as it is, as an id, an event, a key or a value', async (text) => {
    const make = new MessageMaker();
    const said = JSON.stringify({ [text]: text, list: [text], deep: { [text]: text } });
    await insert(store(), [
      make.identify({ userId: text, traits: said }),
      make.track({ userId: text, event: text, messageId: text, properties: said }),
    ]);
    const members = hostileMembers(text);
    const where = members.map(({ name, ...rest }) => ({ property: name, ...rest }));
    const all = [...members.map(({ name, ...rest }) => ({ trait: name, ...rest })), { event: text, where }];

    const found = await why(make, { all }, text);

    expect(found).toMatchObject({ userId: text, evaluation: { isMet: true } });
    expect(found?.evaluation).toMatchObject({ of: [{}, {}, {}, { events: [{ messageId: text }] }] });
  });
});
