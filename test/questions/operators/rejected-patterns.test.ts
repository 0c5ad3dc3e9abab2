import { describe, expect, test } from 'vitest';
import { rejectedPatterns } from '../../../services/questions/operators/rejected-patterns.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import type { AnalyticsReader, Query } from '../../../services/stores/analytics/analytics-store.ts';
import { AMPLE } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

describe.each(await testedAnalytics())('refused patterns, in $name', (tested) => {
  const store = sharedStore(tested);

  /** What is refused, and the patterns that ClickHouse was given for it. */
  async function rejectedIn(body: unknown): Promise<{ rejected: readonly string[]; sent: readonly unknown[] }> {
    const sent: unknown[] = [];
    const ask: AnalyticsReader['ask'] = (query: Query, limits) => {
      sent.push(...Object.values(query.params).filter((value) => value !== ''));
      return store().ask(query, limits);
    };
    const budget = new QueryBudget({ ask } as AnalyticsReader, AMPLE);
    return { rejected: [...(await rejectedPatterns(budget, 'p', JSON.stringify(body))).keys()], sent };
  }

  test.each(['(?=a)b', '(?<=a)b', '(a', '(a)\\1', '[z-a]', '(?P<n>a)(?P=n)', '\\p{Nope}', 'a**'])(
    '%s is refused, with the reason',
    async (matches) => {
      const budget = new QueryBudget(store(), AMPLE);

      const found = await rejectedPatterns(budget, 'p', JSON.stringify({ trait: 'a', matches }));

      expect([...found]).toEqual([[matches, expect.stringMatching(/RE2: \w/)]]);
    },
  );

  test('a pattern of any part of a body is looked at, and each is compiled once', async () => {
    const where = [{ property: 'b', has: [{ property: 'c', matches: 'x(c' }] }];
    const body = {
      users: {
        not: {
          all: [
            { trait: 'a', matches: 'xa' },
            { event: 'E', where },
          ],
        },
      },
    };

    expect(await rejectedIn(body)).toMatchObject({ rejected: ['x(c'] });
    expect(await rejectedIn(body)).toEqual({ rejected: ['x(c'], sent: [] });
    expect(await rejectedIn({ ...body, where: [{ property: 'a', matches: 'xd', ignore_case: true }] })).toEqual({
      rejected: ['x(c'],
      sent: expect.not.arrayContaining(['xa']),
    });
  });

  test('the first refused pattern is the last that is compiled', async () => {
    const any = Array.from({ length: 60 }, (_, index) => ({
      trait: 'a',
      matches: index < 2 ? `y${index}` : `z(${index}`,
    }));

    const { rejected: found, sent } = await rejectedIn({ any });

    expect(found).toEqual(['z(2']);
    // All at once, then one after the other.
    expect(sent.slice(60)).toEqual(['y0', 'y1', 'z(2']);
  });

  test('patterns that are large together are refused without asking', async () => {
    const any = Array.from({ length: 58 }, (_, index) => ({ trait: 'a', matches: `[a-c]{${400 + index}}` }));

    expect(await rejectedIn({ any })).toEqual({ rejected: ['[a-c]{457}'], sent: [] });
    expect(await rejectedIn({ any: any.slice(0, 20) })).toMatchObject({ rejected: [] });
  });
});
