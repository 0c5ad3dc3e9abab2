import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { explainMembership } from '../../../services/questions/explain/why.ts';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { NOW, exactly } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const read = (body: unknown) => readDefinition(exactly(JSON.stringify(body)), { timezone: 'UTC' });
const inTraits = (lists: number) => ({
  any: Array.from({ length: lists }, (_, index) => ({
    trait: `t${index}`,
    in: Array.from({ length: 1_000 }, (_, i) => i),
  })),
});

test('all in of a definition have 10,000 values together, and what is saved may have more', () => {
  expect(read(inTraits(10)).ok).toBe(true);
  expect(read(inTraits(11))).toMatchObject({ ok: false, problems: [{ path: '/any/10/in' }] });
  expect(readDefinition(inTraits(11), { timezone: 'UTC', isSaved: true }).ok).toBe(true);
});

describe.each(await testedAnalytics())('a thousand values, in $name', (tested) => {
  const store = sharedStore(tested);
  const letters = Array.from({ length: 1_000 }, (_, index) => `${index}Ж`.padEnd(240, 'éя'));
  const numbers = Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? index : index + 0.5));

  test.each<[string, object, object, boolean]>([
    ['a trait', { t: letters[999] }, { trait: 't', in: letters }, true],
    ['a trait in another case', { t: letters[7]?.toUpperCase() }, { trait: 't', in: letters, ignore_case: true }, true],
    ['another trait', { t: `${letters[7]}!` }, { trait: 't', in: letters }, false],
    ['a property', { t: letters[998] }, { event: 'E', where: [{ property: 't', in: letters }] }, true],
    ['a number', { t: 998 }, { trait: 't', in: numbers }, true],
    ['a number with a fraction', { n: { t: 999.5 } }, { trait: ['n', 't'], in: numbers }, true],
    ['a number in an object', { n: { t: 2 } }, { trait: ['n', 't'], in: numbers }, true],
    ['a number that is not there', { n: { t: 3 } }, { trait: ['n', 't'], in: numbers }, false],
    ['a number in a list', { l: [{ t: 4 }] }, { trait: 'l', has: [{ property: 't', in: numbers }] }, true],
    [
      'a property in a list',
      { l: [{ t: 5.5 }] },
      { event: 'E', where: [{ property: 'l', has: [{ property: 't', in: numbers }] }] },
      true,
    ],
  ])('%s', async (_, values, definition, isMember) => {
    const make = new MessageMaker();
    const json = JSON.stringify(values);
    const ada = make.identify({ traits: json });
    await insert(store(), [ada, make.track({ event: 'E', properties: json })]);
    const audience = read(definition);
    if (!audience.ok) throw new Error(JSON.stringify(audience.problems));
    const options = { projectId: make.projectId, now: NOW };

    const preview = await previewAudience(new QueryBudget(store(), AMPLE), audience.definition, {
      ...options,
      sampleSize: 0,
    });
    const one = { ...options, userKey: ada.userKey, eventsShown: 0 };
    const why = await explainMembership(store(), AMPLE, audience.definition, '', one);

    expect([preview.count, why?.evaluation.isMet]).toEqual([Number(isMember), isMember]);
  });
});

test.each([10, 11])('values of referred audiences count as often as they are referred to: %i times 10,000', (times) => {
  const values = Array.from({ length: 1_000 }, (_, index) => `v${index}`);
  const large = { any: Array.from({ length: 10 }, () => ({ trait: 'plan', in: values })) };
  const audiences = new Map([['aud_1', { name: 'Large', definition: large }]]);
  const definition = { all: Array.from({ length: times }, () => ({ audience: 'aud_1' })) };

  const read = readDefinition(definition, { timezone: 'UTC', audiences });

  const problems = read.ok ? [] : read.problems.map(({ message }) => message);
  expect(new Set(problems)).toEqual(
    new Set(times === 10 ? [] : ['has more values, with those of other in, than 100000']),
  );
});
