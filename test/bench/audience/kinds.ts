import { NOW_MS } from './shape.ts';

/** A question that has one condition. */
export interface KindQuestion {
  readonly name: string;
  readonly definition: object;
  /** As PostHog asks it, of its tables in layouts.ts; null where it has no such question. */
  readonly posthog: string | null;
}

const ORDERED = { event: 'Order Completed', within: { last: '30d' } };
const VIEWED = { event: 'Page Viewed', within: { last: '90d' } };
const PAID_SOON = { event: 'Order Completed', within: '24h' };

export const KINDS: readonly KindQuestion[] = [
  {
    name: 'an event twice, 30 days (to compare with)',
    definition: { ...ORDERED, count: { at_least: 2 } },
    posthog: ofEvents(`event = 'Order Completed'`, 'HAVING count() >= 2'),
  },
  {
    name: 'one of three events twice, 30 days',
    definition: { ...ORDERED, event: ['Order Completed', 'Trial Started', 'Event 7'], count: { at_least: 2 } },
    posthog: ofEvents(`event IN ('Order Completed', 'Trial Started', 'Event 7')`, 'HAVING count() >= 2'),
  },
  {
    name: 'any event, 30 days',
    definition: { event: { any: true }, within: { last: '30d' } },
    posthog: ofEvents('true', ''),
  },
  {
    name: 'an object of a list: one of 200 products over a price, 30 days',
    definition: {
      ...ORDERED,
      where: [
        {
          property: 'products',
          has: [
            { property: 'sku', is: 'sku-7' },
            { property: 'price', gt: 10 },
          ],
        },
      ],
    },
    posthog: ofEvents(
      `event = 'Order Completed' AND arrayExists(one -> JSONExtractString(one, 'sku') = 'sku-7' ` +
        `AND JSONExtractFloat(one, 'price') > 10, JSONExtractArrayRaw(properties, 'products'))`,
      '',
    ),
  },
  {
    name: 'for the first time in the last 7 days',
    definition: { event: 'Trial Started', first: { last: '7d' } },
    posthog: `
      SELECT count() AS count FROM (
        SELECT person_id FROM posthog_events WHERE team_id = 1 AND event = 'Trial Started' AND timestamp < ${ago(0)}
        GROUP BY person_id HAVING min(timestamp) >= ${ago(7)})`,
  },
  {
    name: 'a date in the last 90 days',
    definition: { trait: 'signed_up', date: { last: '90d' } },
    posthog: ofPersons(
      (name) =>
        `parseDateTimeBestEffortOrNull(${name('signed_up')}) >= ${ago(90)} ` +
        `AND parseDateTimeBestEffortOrNull(${name('signed_up')}) <= ${ago(0)}`,
    ),
  },
  {
    name: 'an anniversary in the next 7 days',
    definition: { trait: 'signed_up', date: { anniversary: { next: '7d' } } },
    posthog: null,
  },
  {
    name: 'the end of a text, case ignored',
    definition: { trait: 'email', ends_with: '77@EXAMPLE.com', ignore_case: true },
    posthog: ofPersons((name) => `${name('email')} ILIKE '%77@EXAMPLE.com'`),
  },
  {
    name: 'a pattern',
    definition: { trait: 'email', matches: '^user-[0-4]+@' },
    posthog: ofPersons((name) => `match(${name('email')}, '^user-[0-4]+@')`),
  },
  {
    name: 'a sample of 10 %',
    definition: { sample: { percent: 10, seed: 'spring' } },
    posthog: null,
  },
  {
    name: 'a 40 % event twice, 90 days (to compare with)',
    definition: { ...VIEWED, count: { at_least: 2 } },
    posthog: ofViews('count() >= 2'),
  },
  {
    name: 'the abandoned cart: a 2.7 % event and no 5 % event in 24 hours, 30 days',
    definition: { event: 'Event 7', within: { last: '30d' }, not_followed_by: PAID_SOON },
    posthog: ofSequence('Event 7', 30, 'NOT'),
  },
  {
    name: 'the abandoned cart of a 40 % event, 90 days',
    definition: { ...VIEWED, not_followed_by: PAID_SOON },
    posthog: ofSequence('Page Viewed', 90, 'NOT'),
  },
  {
    name: 'a 40 % event, then a 5 % event in 24 hours, 90 days',
    definition: { ...VIEWED, followed_by: PAID_SOON },
    posthog: ofSequence('Page Viewed', 90, ''),
  },
  {
    name: 'a sum over 200 of a 40 % event, 90 days',
    definition: { ...VIEWED, measure: { sum: 'total', gt: 200 } },
    posthog: ofViews(`sum(JSONExtractFloat(properties, 'total')) > 200`),
  },
  {
    name: 'two different currencies of a 40 % event, 90 days',
    definition: { ...VIEWED, measure: { distinct: 'currency', gte: 2 } },
    posthog: ofViews(`uniqExact(JSONExtractString(properties, 'currency')) >= 2`),
  },
];

function ofViews(having: string): string {
  return `SELECT count() AS count FROM (
    SELECT person_id FROM posthog_events
    WHERE team_id = 1 AND event = 'Page Viewed' AND timestamp >= ${ago(90)} AND timestamp <= ${ago(0)}
    GROUP BY person_id HAVING ${having})`;
}

/**
 * As its cohorts ask (ee/clickhouse/queries/enterprise_cohort_query.py, 2023). Negated, it means users none of whose events
 * was followed, whether or not the time after them is over.
 */
function ofSequence(event: string, days: number, not: '' | 'NOT'): string {
  const isStep = (name: string) => `if(event = '${name}' AND timestamp > ${ago(days)}, timestamp, NULL)`;
  const isFollowed = `max(if(event = '${event}' AND latest_0 < latest_1 AND latest_1 <= latest_0 + INTERVAL 24 HOUR, 2, 1)) = 2`;
  return `SELECT count() AS count FROM (
    SELECT person_id, ${not} ${isFollowed} AS steps FROM (
      SELECT person_id, event, latest_0,
             min(latest_1) OVER (PARTITION BY person_id ORDER BY timestamp DESC
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 0 PRECEDING) AS latest_1
      FROM (SELECT person_id, event, timestamp, ${isStep(event)} AS latest_0, ${isStep('Order Completed')} AS latest_1
            FROM posthog_events
            WHERE team_id = 1 AND event IN ('${event}', 'Order Completed')
              AND timestamp <= ${ago(0)} AND timestamp >= ${ago(days)}))
    GROUP BY person_id HAVING countIf(event = '${event}') > 0 AND steps)`;
}

function ofEvents(condition: string, having: string): string {
  return `SELECT count() AS count FROM (
    SELECT person_id FROM posthog_events
    WHERE team_id = 1 AND ${condition} AND timestamp >= ${ago(30)} AND timestamp <= ${ago(0)} GROUP BY person_id ${having})`;
}

function ofPersons(condition: (name: (trait: string) => string) => string): string {
  const name = (trait: string) => `JSONExtractString(argMax(properties, version), '${trait}')`;
  return `SELECT count() AS count FROM (
    SELECT id FROM posthog_person WHERE team_id = 1
    GROUP BY id HAVING argMax(is_deleted, version) = 0 AND ${condition(name)})`;
}

function ago(days: number): string {
  return `fromUnixTimestamp64Milli(${NOW_MS - days * 86_400_000}, 'UTC')`;
}
