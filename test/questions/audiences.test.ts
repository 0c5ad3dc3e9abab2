import { describe, expect, test } from 'vitest';
import { compareAudiences, previewAudience } from '../../services/questions/audiences.ts';
import { explainMembership } from '../../services/questions/explain/why.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import type { Audience } from '../../services/questions/definition/audience.ts';
import { readDefinition } from '../../services/questions/definition/definition.ts';
import { anonymousKeyOf, userKeyOf } from '../../services/messages/user-key.ts';
import { parseBody } from '../../services/messages/json.ts';
import { AMPLE, ask, insert, MessageMaker } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { HOSTILE, hostileMembers } from '../support/messages/hostile.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';

const DAY = 86_400_000_000n;
const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;

describe.each(await testedAnalytics())('a preview in $name', (tested) => {
  const store = sharedStore(tested);

  async function preview(make: MessageMaker, definition: unknown, sampleSize = 1000) {
    const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
    const body = parseBody(text);
    const audience = definitionFor(body.ok && body.value.exact);
    return previewAudience(new QueryBudget(store(), AMPLE), audience, { ...optionsOf(make), sampleSize });
  }

  test('an explanation of one user has the anonymous id of a user known by it alone', async () => {
    const make = new MessageMaker();
    const userKey = anonymousKeyOf(make.projectId, 'cookie');
    await insert(store(), [make.track({ userId: null, anonymousId: 'cookie', userKey })]);
    const ordered = definitionFor({ event: 'Order Completed' });

    const options = { ...optionsOf(make), userKey, eventsShown: 1 };
    const why = await explainMembership(store(), AMPLE, ordered, '', options);

    expect(why).toMatchObject({ userId: null, anonymousId: 'cookie', userKey });
  });

  test('a comparison counts and names who enters, leaves and stays', async () => {
    const make = new MessageMaker();
    const plans = { ada: 'pro', bob: 'pro', eve: 'free', dan: 'team' };
    const identified = Object.entries(plans).map(([userId, plan]) => {
      return make.identify({ userId, userKey: userKeyOf(make.projectId, userId), traits: JSON.stringify({ plan }) });
    });
    await insert(store(), identified);
    const from = definitionFor({ trait: 'plan', in: ['pro', 'team'] });
    const to = definitionFor({ trait: 'plan', in: ['pro', 'free'] });

    const found = await compareAudiences(new QueryBudget(store(), AMPLE), from, to, optionsOf(make));

    const known = (userId: string) => ({ userId, anonymousId: null, userKey: userKeyOf(make.projectId, userId) });
    expect(found).toMatchObject({
      evaluatedAt: NOON,
      fromCount: 3,
      toCount: 3,
      entering: { count: 1, sample: [known('eve')] },
      leaving: { count: 1, sample: [known('dan')] },
      staying: { count: 2, sample: [expect.objectContaining({ anonymousId: null })] },
    });
  });

  test('a comparison past its limits is QUERY_LIMIT', async () => {
    const make = new MessageMaker();
    await insert(store(), [make.track(), make.track({ userId: 'other' })]);
    const ordered = definitionFor({ event: 'Order Completed' });

    const limited = new QueryBudget(store(), { ...AMPLE, maxRowsRead: 1 });
    const compared = compareAudiences(limited, ordered, ordered, optionsOf(make));

    await expect(compared).rejects.toMatchObject({ code: 'QUERY_LIMIT' });
  });

  test('a preview counts no users of other projects', async () => {
    const [make, other] = [new MessageMaker(), new MessageMaker()];
    await insert(store(), [make.track(), other.track()]);

    expect(await preview(make, { not: { event: 'Nothing' } })).toMatchObject({ count: 1 });
    expect(await preview(new MessageMaker(), { not: { event: 'Nothing' } })).toMatchObject({ count: 0, sample: [] });
  });

  test('the first copy of a repeat decides, whether or not the copies have been merged', async () => {
    const make = new MessageMaker();
    const [first, later] = ['{"total":10}', '{"total":99}'].map((properties) =>
      make.track({ messageId: 'm', properties, timestamp: NOON }),
    );
    await insert(store(), [later!], 7n);
    await insert(store(), [first!], 3n);

    const isOne = { event: 'Order Completed', where: [{ property: 'total', is: 10 }], count: { exactly: 1 } };
    const isOther = { event: 'Order Completed', where: [{ property: 'total', is: 99 }] };

    expect([(await preview(make, isOne)).count, (await preview(make, isOther)).count]).toEqual([1, 0]);
  });

  test('the time of a message is that of its first copy, even where a later copy of that day is within the period', async () => {
    const make = new MessageMaker();
    const repeat = { event: 'Bought', messageId: 'm1' };
    await insert(store(), [
      make.track({ ...repeat, timestamp: NOON + 3_600_000_000n }),
      make.track({ ...repeat, timestamp: NOON - 3_600_000_000n }),
    ]);

    const found = await Promise.all(
      [{ between: ['2026-11-01', '2026-11-20T12:00'] }, { between: ['2026-11-01', '2026-11-21'] }].map((within) =>
        preview(make, { event: 'Bought', within }),
      ),
    );

    expect(found.map(({ count }) => count)).toEqual([0, 1]);
  });

  test('of a message whose first copy is not within the time no copy is counted, and others of its id are', async () => {
    const make = new MessageMaker();
    const bob = { userId: 'bob', userKey: userKeyOf(make.projectId, 'bob') };
    const inside = NOON - 3_600_000_000n;
    await insert(store(), [
      make.track({ messageId: 'm1', timestamp: NOON + 3_600_000_000n }),
      make.track({ messageId: 'm1', timestamp: inside }),
      make.track({ messageId: 'm1', event: 'Viewed', timestamp: inside }),
      make.track({ messageId: 'm2', timestamp: inside }),
      make.track({ ...bob, messageId: 'm1', timestamp: inside }),
      make.track({ ...bob, messageId: 'm2', timestamp: inside }),
    ]);
    const within = { between: ['2026-11-01', '2026-11-20T12:00'] };
    const twice = async (event: unknown) => (await preview(make, { event, within, count: { at_least: 2 } })).sample;

    expect(await twice('Order Completed')).toEqual(['bob']);
    expect(await twice(['Order Completed', 'Viewed'])).toEqual(['ada', 'bob']);
    expect(await twice({ any: true })).toEqual(['ada', 'bob']);
    expect((await preview(make, { event: 'Order Completed', within, count: { at_most: 1 } })).sample).toEqual(['ada']);
  });

  test('a message counts once even where copies of it have different days', async () => {
    const make = new MessageMaker();
    const days = [0n, 1n, 40n];
    await insert(
      store(),
      days.map((day) => make.track({ messageId: 'm', timestamp: NOON - day * DAY })),
    );

    expect(await preview(make, { event: 'Order Completed', count: { at_least: 2 } })).toMatchObject({ count: 0 });
    expect(await preview(make, { event: 'Order Completed', count: { at_most: 1 } })).toMatchObject({ count: 1 });
  });

  test('the last 24 hours are exact to the microsecond and exclude the future', async () => {
    const make = new MessageMaker();
    const at = (userId: string, timestamp: bigint) => make.track({ userId, timestamp });
    await insert(store(), [
      at('edge', NOON - DAY),
      at('past', NOON - DAY - 1n),
      at('now', NOON),
      at('future', NOON + 1n),
    ]);

    expect((await preview(make, { event: 'Order Completed', within: { last: '24h' } })).sample).toEqual([
      'edge',
      'now',
    ]);
  });

  test('integers that share one double are distinct', async () => {
    const make = new MessageMaker();
    const number = (userId: string, n: string) => [
      make.identify({ userId, traits: `{"n":${n},"list":[${n},1e400],"deep":{"n":${n},"other":${'9'.repeat(40)}}}` }),
      make.track({ userId, properties: `{"n":${n},"list":[${n}]}` }),
    ];
    await insert(store(), [...number('even', '9007199254740992'), ...number('odd', '9007199254740993')]);

    const odd = [
      '{"trait":"n","is":9007199254740993}',
      '{"trait":"n","gt":9007199254740992}',
      '{"trait":"n","in":[9007199254740993,1.5]}',
      '{"trait":"list","contains":9007199254740993}',
      '{"trait":["deep","n"],"gte":9007199254740993}',
      '{"event":"Order Completed","where":[{"property":"n","is":9007199254740993}]}',
      '{"event":"Order Completed","where":[{"property":"n","in":[9007199254740993,1.5]}]}',
      '{"event":"Order Completed","where":[{"property":"list","contains":9007199254740993}]}',
    ];

    for (const text of odd) expect([text, (await preview(make, text)).sample]).toEqual([text, ['odd']]);
  });

  test('an object exists where it has a value at any depth, whatever the key', async () => {
    const make = new MessageMaker();
    const holding = (userId: string, object: string) =>
      make.track({ userId, properties: `{"o":${object},"\`o":${object}}` });
    await insert(store(), [
      holding('full', '{"p":{"q":0}}'),
      holding('empty', '{"p":{},"q":null}'),
      holding('list', '[]'),
    ]);

    for (const property of ['o', '`o']) {
      const there = await preview(make, { event: 'Order Completed', where: [{ property, exists: true }] });
      const missing = await preview(make, { event: 'Order Completed', where: [{ property, exists: false }] });
      expect([there.sample, missing.sample]).toEqual([['full', 'list'], ['empty']]);
    }
  });

  test.each(HOSTILE)('the text %j is only compared, as an id, an event, a key or a value', async (text) => {
    const make = new MessageMaker();
    const said = JSON.stringify({ [text]: text, list: [text], deep: { [text]: text } });
    await insert(store(), [
      make.identify({ userId: text, traits: said }),
      make.track({ userId: text, event: text, messageId: text, properties: said }),
      make.track({ userId: 'other', event: 'other', properties: '{"a":1,"list":[1]}' }),
    ]);
    const members = hostileMembers(text);
    const where = members.map(({ name, ...rest }) => ({ property: name, ...rest }));

    const found = await preview(make, {
      all: [
        ...members.map(({ name, ...rest }) => ({ trait: name, ...rest })),
        { event: text, where, count: { exactly: 1 } },
      ],
    });

    expect(found).toMatchObject({ count: 1, sample: [text] });
    expect(
      await ask(store(), 'SELECT count() AS n FROM track_rows WHERE project_id = {p:String}', { p: make.projectId }),
    ).toEqual([{ n: '2' }]);
  });

  test.each([
    ['time', { maxMs: 1 }, manyConditions()],
    ['memory', { maxMemoryBytes: 1000 }, manyConditions()],
    ['rows', { maxRowsRead: 1 }, { not: { event: 'Nothing' } }],
  ])('a preview that exceeds its limit of %s fails with QUERY_LIMIT', async (_, limit, definition) => {
    const make = new MessageMaker();
    await insert(store(), [make.track({ userId: 'ada' }), make.track({ userId: 'bob' })]);
    const limited = new QueryBudget(store(), { ...AMPLE, ...limit });

    const answer = previewAudience(limited, definitionFor(definition), optionsOf(make));
    await expect(answer).rejects.toMatchObject({ code: 'QUERY_LIMIT' });
  });

  test('the largest possible definition has an answer', async () => {
    const make = new MessageMaker();
    await insert(store(), [make.track(), make.identify({ traits: '{"a":{"b":1}}' })]);

    expect(await preview(make, manyConditions())).toMatchObject({ count: 1 });
  });
});

/** 100 conditions of the dearest kind, ten groups deep. */
function manyConditions(): unknown {
  const values = Array.from({ length: 10 }, (_, index) => index);
  const conditions = Array.from({ length: 50 }, (_, index) => ({
    event: `Event ${index}`,
    where: [{ property: ['a', `b${index}`], contains: index, in: values, exists: true }],
    within: { last: '30d' },
  }));
  const deepest = { any: [...conditions.slice(1), { trait: ['a', 'b'], in: values }] };
  return Array.from({ length: 9 }).reduce<unknown>((inner) => ({ all: [inner] }), deepest);
}

function optionsOf({ projectId }: MessageMaker) {
  return { projectId, now: NOON, sampleSize: 1 };
}

function definitionFor(definition: unknown): Audience {
  const read = readDefinition(definition, { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.definition;
}
