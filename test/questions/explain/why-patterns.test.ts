import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { explainMembership, type Why } from '../../../services/questions/explain/why.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { NOW } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

describe.each(await testedAnalytics())('why with patterns, in $name', (tested) => {
  const store = sharedStore(tested);

  async function evaluationOf(projectId: string, definition: object): Promise<Why['evaluation']> {
    const read = readDefinition(definition, { timezone: 'UTC' });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const options = { projectId, userKey: userKeyOf(projectId, 'ada'), now: NOW, eventsShown: 0 };
    const found = await explainMembership(store(), AMPLE, read.definition, '', options);
    if (found === undefined) throw new Error('nobody knows them');
    return found.evaluation;
  }

  test('patterns are tested on texts as long as a message may have, inside lists and beside dates', async () => {
    const make = new MessageMaker();
    const long = 'a'.repeat(400_000);
    const list = [
      { a: 'x', at: '2026-11-19' },
      7,
      { a: long, at: '2026-11-30' },
      { b: [{ c: 'y' }, { c: `${long}z` }] },
    ];
    const traits = JSON.stringify({ t: long, nested: { t: long }, list });
    await insert(store(), [make.identify({ traits }), make.track({ event: 'Read', properties: traits })]);
    const slow = [450, 449, 448, 447].map((times) => `(?:a?){${times}}[bc]`);
    const has = (...members: object[]) => ({ has: members });
    const ofText = [
      ...slow.map((matches) => [{ matches }, false] as const),
      [{ matches: 'a{400}$' }, true],
      [{ matches: 'A{400}$' }, false],
      [{ matches: 'A{400}$', ignore_case: true }, true],
    ] as const;
    const inList = [
      [has({ property: 'a', matches: '^x$' }), true],
      [has({ property: 'a', matches: '^x$', date: { next: '1d' } }), false],
      [has({ property: 'a', matches: '^a+$' }, { property: 'at', date: { next: '20d' } }), true],
      [has({ property: 'a', matches: '^x$' }, { property: 'at', date: { next: '20d' } }), false],
      [has({ property: 'b', ...has({ property: 'c', matches: '^y' }, { property: 'c', matches: 'y$' }) }), true],
      [has({ property: 'b', ...has({ property: 'c', matches: '^y' }, { property: 'c', matches: 'z$' }) }), false],
      [has({ property: 'b', ...has({ property: 'c', matches: 'az$' }) }), true],
      [has({ property: 'a', matches: 'z' }), false],
    ] as const;
    const conditions: (readonly [object, boolean])[] = [
      ...ofText.flatMap(([tests, isMet]): [object, boolean][] => [
        [{ trait: 't', ...tests }, isMet],
        [{ trait: ['nested', 't'], ...tests }, isMet],
        [{ event: 'Read', where: [{ property: 't', ...tests }] }, isMet],
      ]),
      ...inList.flatMap(([tests, isMet]): [object, boolean][] => [
        [{ trait: 'list', ...tests }, isMet],
        [{ event: ['Other', 'Read'], where: [{ property: 'list', ...tests }] }, isMet],
      ]),
    ];

    // A definition has at most 100 conditions.
    for (const some of [conditions.slice(0, 25), conditions.slice(25)]) {
      const evaluation = await evaluationOf(make.projectId, { any: some.map(([condition]) => condition) });

      const parts = 'of' in evaluation ? evaluation.of : [];
      expect(parts.map(({ isMet }, index) => [some[index]?.[0], isMet])).toEqual(some);
    }
  });
});
