/** Lists and the objects in them: what is found of them in SQL, and the same for each user alone. */
import { describe, expect, test } from 'vitest';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { readMemberships } from '../../../services/questions/explain/memberships.ts';
import { explainMembership } from '../../../services/questions/explain/why.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { exactly, NOW } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const DAY = 86_400_000_000n;

describe.each(await testedAnalytics())('lists in $name', (tested) => {
  const store = sharedStore(tested);

  /** A user for each text of JSON, which is a trait, a part of another trait, and a property under two names. */
  async function projectWith(lists: Readonly<Record<string, string>>): Promise<string> {
    const make = new MessageMaker();
    const messages = Object.entries(lists).flatMap(([userId, list]) => {
      const user = { userId, userKey: userKeyOf(make.projectId, userId) };
      return [
        make.identify({ ...user, traits: `{"items":${list},"cart":{"items":${list}}}` }),
        make.track({ ...user, event: 'Bought', properties: `{"items":${list},"it's":${list}}` }),
      ];
    });
    await insert(store(), messages);
    return make.projectId;
  }

  /** The users with such a list: the same wherever it is, and asked about each user alone. @param test An operator and its value, as JSON. */
  async function found(projectId: string, users: readonly string[], test: string): Promise<readonly string[]> {
    const definitions = [
      `{"trait":"items",${test}}`,
      `{"trait":["cart","items"],${test}}`,
      `{"event":"Bought","where":[{"property":"items",${test}}]}`,
      `{"event":"Bought","where":[{"property":"it's",${test}}]}`,
    ];
    const audiences = definitions.map(definitionOf);
    const options = { projectId, now: NOW, sampleSize: 100 };
    const samples: (readonly string[])[] = [];
    for (const audience of audiences)
      samples.push((await previewAudience(new QueryBudget(store(), AMPLE), audience, options)).sample);
    for (const userId of users) {
      const user = { projectId, userKey: userKeyOf(projectId, userId) };
      const memberships = await readMemberships(new QueryBudget(store(), AMPLE), audiences, user, NOW);
      const isFound = samples.map((sample) => sample.includes(userId));
      expect([userId, memberships?.map(({ isMember }) => isMember)]).toEqual([userId, isFound]);
    }
    const [sample = []] = samples;
    expect(samples).toEqual(definitions.map(() => sample));
    return sample;
  }

  function definitionOf(text: string) {
    const read = readDefinition(exactly(text), { timezone: 'UTC' });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.definition;
  }

  async function whyOf(projectId: string, userId: string, text: string) {
    const user = { projectId, userKey: userKeyOf(projectId, userId), now: NOW, eventsShown: 1 };
    const why = await explainMembership(store(), AMPLE, definitionOf(text), '', user);
    if (why === undefined) throw new Error(`nobody knows ${userId}`);
    return why.evaluation;
  }

  test('one object of a list must pass all conditions, and what is no object or no list does not pass', async () => {
    const lists = {
      both: '[{"sku":"b"},{"sku":"a","price":12}]',
      divided: '[{"sku":"a","price":5},{"sku":"b","price":12}]',
      inner: '[[{"sku":"a","price":12}]]',
      object: '{"sku":"a","price":12}',
      text: '["a","{\\"sku\\":\\"a\\",\\"price\\":12}",12,true,null]',
      void: '[{}]',
      empty: '[]',
    };
    const users = Object.keys(lists);
    const projectId = await projectWith(lists);

    expect(await found(projectId, users, '"has":[{"property":"sku","is":"a"},{"property":"price","gt":10}]')).toEqual([
      'both',
    ]);
    expect(await found(projectId, users, '"has":[{"property":"sku","is":"a"}]')).toEqual(['both', 'divided']);
    expect(await found(projectId, users, '"has":[{"property":"sku","exists":false}]')).toEqual(['void']);
    expect(await found(projectId, users, '"has":[{"property":"sku","is_not":"b"}]')).toEqual([
      'both',
      'divided',
      'void',
    ]);
  });

  test('a text in an object is found however it is written', async () => {
    const lists = {
      plain: '[{"sku":"a-1"}]',
      escaped: String.raw`[{"sku":"\u0061-1"}]`,
      other: String.raw`[{"sku":"\u0062-1"}]`,
      elsewhere: '[{"name":"a-1","sku":"b"}]',
    };
    const projectId = await projectWith(lists);

    expect(await found(projectId, Object.keys(lists), '"has":[{"property":"sku","is":"a-1"}]')).toEqual([
      'escaped',
      'plain',
    ]);
  });

  test('numbers in the objects of a list keep their digits', async () => {
    const lists = {
      even: '[{"n":9007199254740992}]',
      least: '[{"n":-9223372036854775808}]',
      most: '[{"n":18446744073709551615}]',
      odd: '[{"n":9007199254740993}]',
      power: '[{"n":1e20}]',
      small: '[{"n":0.1},{"n":1e-7}]',
      vast: '[{"n":1e400,"m":1}]',
      whole: '[{"n":9007199254740993.0}]',
    };
    const users = Object.keys(lists);
    const projectId = await projectWith(lists);
    const withNumber = (test: string) => found(projectId, users, `"has":[{"property":"n",${test}}]`);

    expect(await withNumber('"is":9007199254740993')).toEqual(['odd']);
    expect(await withNumber('"in":[9007199254740992,0.1]')).toEqual(['even', 'small', 'whole']);
    expect(await withNumber('"is":-9223372036854775808')).toEqual(['least']);
    expect(await withNumber('"is":18446744073709551615')).toEqual(['most']);
    expect(await withNumber('"is":100000000000000000000')).toEqual(['power']);
    expect(await withNumber('"is":1e-7')).toEqual(['small']);
    expect(await withNumber('"gt":18446744073709551615')).toEqual(['power', 'vast']);
    expect(await found(projectId, users, '"has":[{"property":"m","is":1}]')).toEqual(['vast']);
  });

  test('a number in a list is found however it is written', async () => {
    const lists = {
      digits: '[100000000000000000000]',
      mixed: '["a",1e20]',
      odd: '[9007199254740993]',
      power: '[1e20]',
      small: '[1e-7]',
      vast: '[1e400,7]',
    };
    const users = Object.keys(lists);
    const projectId = await projectWith(lists);

    expect(await found(projectId, users, '"contains":1e20')).toEqual(['digits', 'mixed', 'power']);
    expect(await found(projectId, users, '"contains":9007199254740993')).toEqual(['odd']);
    expect(await found(projectId, users, '"contains":1e-7')).toEqual(['small']);
    expect(await found(projectId, users, '"contains":7')).toEqual(['vast']);
  });

  test('an object of a list within a list is asked about, with texts and keys of every kind', async () => {
    const lists = {
      deep: '[{"a.b":[{"it\'s":[{"x":"ÄB","tags":[1,"Ü"]}]}]}]',
      shallow: '[{"a.b":[{"x":"ÄB"}]},{"it\'s":[{"x":"ÄB"}]}]',
    };
    const users = Object.keys(lists);
    const projectId = await projectWith(lists);
    const within = (test: string) =>
      `"has":[{"property":"a.b","has":[{"property":"it's","has":[{"property":"x","starts_with":"ä","ignore_case":true},${test}]}]}]`;

    expect(await found(projectId, users, within('{"property":"tags","contains":"Ü"}'))).toEqual(['deep']);
    expect(await found(projectId, users, within('{"property":"tags","contains":"U"}'))).toEqual([]);
  });

  test('why says when a date in an object comes to pass', async () => {
    const lists = { ada: '[{"until":"2026-11-29"},{"until":"2026-11-30","held":true}]' };
    const projectId = await projectWith(lists);
    const has = '[{"property":"until","date":{"next":"7d"}},{"property":"held","exists":true}]';
    const changesAt = BigInt(Date.UTC(2026, 10, 30)) * 1000n - 7n * DAY;

    for (const text of [
      `{"trait":"items","has":${has}}`,
      `{"event":"Bought","where":[{"property":"items","has":${has}}]}`,
    ])
      expect(await whyOf(projectId, 'ada', text)).toMatchObject({ isMet: false, changesAt });
  });

  test('why goes through thousands of objects, and where they take too many steps it names the condition', async () => {
    const born = (index: number) => new Date(Number(NOW / 1000n) + index * 86_400_000).toISOString().slice(0, 10);
    const list = JSON.stringify(Array.from({ length: 5_000 }, (_, index) => ({ born: born(index + 9) })));
    const projectId = await projectWith({ ada: list });
    const next = '{"trait":"items","has":[{"property":"born","date":{"next":"7d"}},{"property":"born","exists":true}]}';
    const anniversary = '{"trait":"items","has":[{"property":"born","date":{"anniversary":{"next":"7d"}}}]}';
    const changesAt = BigInt(Date.parse(born(9))) * 1000n - 7n * DAY;

    expect(await whyOf(projectId, 'ada', next)).toMatchObject({ isMet: false, changesAt });
    await expect(whyOf(projectId, 'ada', `{"any":[${next},${anniversary}]}`)).rejects.toMatchObject({
      code: 'QUERY_LIMIT',
      message: expect.stringContaining('"/any/1"'),
    });
  });
});
