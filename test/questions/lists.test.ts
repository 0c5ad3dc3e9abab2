import { describe, expect, test } from 'vitest';
import { previewAudience } from '../../services/questions/audiences.ts';
import { explainMembership } from '../../services/questions/explain/why.ts';
import { QueryBudget } from '../../services/questions/query-budget.ts';
import { readDefinition } from '../../services/questions/definition/definition.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../support/stores/analytics.ts';
import { sharedStore } from '../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const STRANGE = ['o"neil', "d'arc", ' spaced ', 'a\\b', '{p0:String}', 'é😀', '1;2,3'];
const USERS = [...STRANGE, ...Array.from({ length: 993 }, (_, n) => `user ${n}`)];
/** 400 of the users, one of them twice, and 20 who are none. */
const LISTED = [...USERS.slice(0, 400), 'user 1', ...Array.from({ length: 20 }, (_, n) => `nobody ${n}`)];

describe.each(await testedAnalytics())('a list of ids in $name', (tested) => {
  const store = sharedStore(tested);

  function asOfNoon({ projectId }: MessageMaker) {
    return { projectId, now: NOON };
  }

  async function counted(make: MessageMaker, definition: object): Promise<number> {
    const options = { ...asOfNoon(make), sampleSize: 0 };
    return (await previewAudience(new QueryBudget(store(), AMPLE), audienceReadFrom(definition), options)).count;
  }

  function identified(make: MessageMaker, users = USERS) {
    return users.map((userId) => {
      return make.identify({ userId, userKey: userKeyOf(make.projectId, userId), traits: '{"plan":"pro"}' });
    });
  }

  test('400 of 1,000 users are left out of an audience, also where all messages come again', async () => {
    const make = new MessageMaker();
    const messages = identified(make);
    await insert(store(), messages, 1n);
    await insert(store(), messages, 5_000n);
    const pro = { trait: 'plan', is: 'pro' };
    const listed = { users: LISTED };

    expect(await counted(make, pro)).toBe(1_000);
    expect(await counted(make, { all: [pro, { not: listed }] })).toBe(600);
    expect(await counted(make, { not: listed })).toBe(600);
    expect(await counted(make, listed)).toBe(400);
    expect(await counted(make, { all: [listed, pro] })).toBe(400);
    expect(await counted(make, { any: [listed, { trait: 'plan', is: 'free' }] })).toBe(400);
    expect(await counted(make, { users: STRANGE })).toBe(STRANGE.length);
  });

  test('an id that is no user yet counts once it is, and one of another project does not', async () => {
    const [make, other] = [new MessageMaker(), new MessageMaker()];
    await insert(store(), identified(make, ['ada']), 1n);
    await insert(store(), identified(other, ['grace']), 2n);
    const listed = { users: ['ada', 'grace'] };

    expect(await counted(make, listed)).toBe(1);

    await insert(store(), identified(make, ['grace']), 3n);

    expect(await counted(make, listed)).toBe(2);
    expect(await counted(make, { not: listed })).toBe(0);
  });

  test('who is forgotten is on the list and counts no more, until they come again', async () => {
    const make = new MessageMaker();
    const { projectId } = make;
    await insert(store(), identified(make, ['ada', 'grace']), 1n);
    const { signal } = new AbortController();

    await store().forget({ projectId, users: [userKeyOf(projectId, 'ada')] }, { signal });

    expect(await counted(make, { users: ['ada', 'grace'] })).toBe(1);
    await insert(store(), identified(make, ['ada']), 9n);
    expect(await counted(make, { users: ['ada', 'grace'] })).toBe(2);
  });

  test('an explanation of one user says whether the list has them', async () => {
    const make = new MessageMaker();
    await insert(store(), identified(make, ['ada', 'bob']));
    const why = async (userId: string) => {
      const options = { ...asOfNoon(make), userKey: userKeyOf(make.projectId, userId), eventsShown: 0 };
      return (await explainMembership(store(), AMPLE, audienceReadFrom({ users: ['ada', 'eve'] }), '', options))
        ?.evaluation;
    };

    expect(await why('ada')).toMatchObject({ kind: 'users', isMet: true, condition: 'who are in a list of 2 ids' });
    expect(await why('bob')).toMatchObject({ kind: 'users', isMet: false });
    expect(await why('eve')).toBeUndefined();
  });
});

test('a definition has at most 10,000 ids and values together, none of them empty', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `user ${n}`);

  expect(wrongPathsIn({ users: ids(10_000) })).toEqual([]);
  expect(wrongPathsIn({ users: ids(10_001) })).toEqual(['/users']);
  expect(wrongPathsIn({ all: [{ users: ids(9_999) }, { trait: 'a', in: ['b', 'c'] }] })).toEqual(['/all/1/in']);
  expect(wrongPathsIn({ users: [] })).toEqual(['/users']);
  expect(wrongPathsIn({ users: ['ada', '', 7] })).toEqual(['/users/1', '/users/2']);
});

function wrongPathsIn(definition: object): readonly string[] {
  const read = readDefinition(definition, { timezone: 'UTC' });
  return read.ok ? [] : read.problems.map(({ path }) => path);
}

function audienceReadFrom(definition: object) {
  const read = readDefinition(definition, { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.definition;
}
