import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { previewAudience } from '../../../services/questions/audiences.ts';
import type { Audience } from '../../../services/questions/definition/audience.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { explain, type Explanation } from '../../../services/questions/explain/explain.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedAnalytics } from '../../support/stores/analytics-stores.ts';
import { HOSTILE, hostileMembers } from '../../support/messages/hostile.ts';
import { propertyRun } from '../../support/property-run.ts';
import { exactly, historyAndDefinitions, insertHistory, NOW } from '../../support/messages/random-history.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const DAY = 86_400_000_000n;

function definitionOf(body: unknown): Audience {
  const read = readDefinition(exactly(JSON.stringify(body)), { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.definition;
}

describe.each(await testedAnalytics())('an audience is explained in $name', (tested) => {
  const analytics = sharedAnalytics(tested);
  const optionsOf = (projectId: string) => ({ projectId, now: NOW, sampleSize: 10 });

  async function explained(make: MessageMaker, body: unknown): Promise<Explanation> {
    return explain(analytics().store, AMPLE, definitionOf(body), '/definition', optionsOf(make.projectId));
  }

  async function countByHand({ sql }: Explanation): Promise<number> {
    const lines = await analytics().byHand(sql);
    expect(lines).toHaveLength(1);
    return Number(lines[0]?.split('\t')[0]);
  }

  test.each(HOSTILE)('by SQL that gives the same by hand, with %j wherever a caller writes', async (text) => {
    const make = new MessageMaker();
    const said = JSON.stringify({ [text]: text, list: [text, 1.5], deep: { [text]: text }, n: 5 });
    await insert(analytics().store, [
      make.identify({ userId: text, traits: said }),
      make.track({ userId: text, event: text, messageId: text, properties: said, timestamp: NOW - DAY }),
      make.track({ userId: 'other', event: 'other', properties: '{"a":1,"list":[1]}' }),
    ]);
    const members = hostileMembers(text);
    const where = [...members, { name: 'n', gt: 1.5, lte: 5, in: [5, 2.5] }, { name: 'list', contains: 1.5 }];

    const explanation = await explained(make, {
      all: [
        ...members.map(({ name, ...rest }) => ({ trait: name, ...rest })),
        { event: text, where: where.map(({ name, ...rest }) => ({ property: name, ...rest })), count: { exactly: 1 } },
        { event: text, within: { last: '30d' }, first: { since: '2d' } },
        { not: { event: text, within: { before: '2020-01-01' } } },
      ],
    });

    expect(await countByHand(explanation)).toBe(1);
  });

  test('by SQL that gives by hand what a preview gives, whatever is asked', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(12), async ([past, texts]) => {
        const [message] = await insertHistory(analytics().store, past);
        const { projectId } = message!;
        for (const text of texts) {
          const read = readDefinition(exactly(text), { timezone: 'UTC' });
          if (!read.ok) continue;
          const { store } = analytics();
          const options = optionsOf(projectId);
          const { count } = await previewAudience(new QueryBudget(store, AMPLE), read.definition, options);
          const explanation = await explain(store, AMPLE, read.definition, '', options);
          expect([text, await countByHand(explanation)]).toEqual([text, count]);
        }
      }),
      propertyRun(2 * tested.share),
    );
  }, 120_000);

  test('with no more read of each condition than its event and its days, or its trait', async () => {
    const make = new MessageMaker();
    const events = Array.from({ length: 30_000 }, (_, index) =>
      make.track({ event: index % 2 === 0 ? 'Bought' : 'Saw', timestamp: NOW - DAY * BigInt(index % 20) }),
    );
    const traits = Array.from({ length: 12_000 }, (_, index) =>
      make.identify({ userId: `u${index}`, traits: '{"plan":"pro","age":5}' }),
    );
    await insert(analytics().store, [...events, ...traits]);
    const asked = [
      { event: 'Bought' },
      { event: 'Bought', within: { last: '48h' }, count: { at_least: 2 } },
      { trait: 'plan', is: 'pro' },
      { event: 'Never', count: { at_least: 0 } },
    ];

    const { reads } = await explained(make, { any: asked });

    const [users, bought, lately, plan, nothing] = reads;
    expect(reads.map(({ path }) => path)).toEqual([null, ...asked.map((_, index) => `/definition/any/${index}`)]);
    expect(reads.map(({ table }) => table)).toEqual(['user_rows', 'track_rows', 'track_rows', 'trait_rows', null]);
    expect(users?.rows).toBeGreaterThanOrEqual(12_000);
    // Half of the events, and as it is read by granules of 8,192 rows, one more at either end.
    expect(bought?.rows).toBeGreaterThanOrEqual(15_000);
    expect(bought?.rows).toBeLessThan(30_000);
    expect(lately?.rows).toBeLessThan(bought?.rows ?? 0);
    expect(lately?.marks).toBeLessThan(bought?.marks ?? 0);
    expect(plan?.rows).toBeLessThan(24_000);
    expect(nothing).toMatchObject({ rows: 0, marks: 0, plan: [] });
    expect(bought?.plan.join('\n')).toContain('track_rows');
  });

  test('the whole text of the properties is read where the objects of a list are asked about', async () => {
    const make = new MessageMaker();
    await insert(analytics().store, [make.track({ event: 'Bought' })]);
    const has = [{ property: 'sku', is: 'a' }];

    const { reads } = await explained(make, {
      all: [
        { event: 'Bought', where: [{ property: 'items', has }] },
        { event: 'Bought', where: [{ property: 'items', has, exists: true }] },
      ],
    });

    const bought = 'track_rows: the events "Bought" of any day, by the key; the first copy of a repeat (FINAL); ';
    const text = 'the whole text of the properties, for the objects in the list "items"';
    expect(reads.slice(1).map((one) => one.reads)).toEqual([
      `${bought}${text}`,
      `${bought}of the properties the subcolumns of "items" alone; ${text}`,
    ]);
  });

  test('with both events of a sequence and their days, and the property that is measured', async () => {
    const make = new MessageMaker();
    await insert(analytics().store, [make.track({ event: 'Bought' })]);
    const lately = { event: 'Bought', within: { last: '48h' } };

    const { reads } = await explained(make, {
      all: [
        { ...lately, followed_by: { event: 'Saw', within: '24h' } },
        { ...lately, measure: { sum: 'total', gt: 5 } },
      ],
    });

    const bought = 'track_rows: the events "Bought" of the days from 2026-11-18 to 2026-11-20, by the key; ';
    const saw = 'of what follows, the events "Saw" of the days from 2026-11-18 to 2026-11-21, by the key; ';
    const first = 'the first copy of a repeat (FINAL)';
    expect(reads.slice(1).map((one) => one.reads)).toEqual([
      `${bought}${saw}${first}`,
      `${bought}${first}; of the properties the subcolumns of "total" alone`,
    ]);
  });
});
