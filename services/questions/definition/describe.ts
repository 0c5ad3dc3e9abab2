/** Describes conditions in English, for people who read how their definition was evaluated. Pure. */
import { unitsText } from '../measures/exact-number.ts';
import { describeTests } from '../operators/operators.ts';
import { type Audience, type Condition, type EventCondition, isCondition } from './audience.ts';
import type { ConditionOf, Measure, Member, Sequence, Times } from './audience.ts';
import { describeDuration, describePeriod } from './describe-period.ts';

const GROUPS = { all: 'all of these', any: 'at least one of these', not: 'not this' } as const;

const CONDITIONS: { readonly [K in Condition['kind']]: (condition: ConditionOf<K>) => string } = {
  trait: (condition) => `trait ${describeMember(condition)}`,
  event: describeEvent,
  sample: ({ hundredths, seed }) => `${hundredths / 100} % of all users, by the seed ${JSON.stringify(seed)}`,
};

export function describe(audience: Audience): string {
  if (audience.kind === 'audience') return `in the audience ${JSON.stringify(audience.name)}`;
  if (!isCondition(audience)) return GROUPS[audience.kind];
  return (CONDITIONS[audience.kind] as (condition: Condition) => string)(audience);
}

function describeEvent(condition: EventCondition): string {
  const { times, within, first, last, sequence, measure } = condition;
  const parts = [
    describeEvents(condition),
    describeTimes(times),
    ...(within ? [describePeriod(within)] : []),
    ...(sequence ? [describeSequence(sequence)] : []),
    ...(measure ? [describeMeasure(measure)] : []),
    ...(first ? [`${within || sequence ? 'the first' : 'for the first time ever'} ${describePeriod(first)}`] : []),
    ...(last ? [`the last ${describePeriod(last)}`] : []),
  ];
  return parts.join(', ');
}

function describeEvents({ events, where }: EventCondition): string {
  const names = events === null ? 'any event' : `event ${events.map((name) => JSON.stringify(name)).join(' or ')}`;
  return `${names}${where.length === 0 ? '' : ` where ${where.map(describeMember).join(' and ')}`}`;
}

function describeSequence({ isFollowed, later, within, which }: Sequence): string {
  const subject = which === 'any' ? '' : `the ${which} of them `;
  return `${subject}${isFollowed ? '' : 'not '}followed by ${describeEvents(later)} within ${describeDuration(within)}`;
}

const MEASURES = {
  sum: 'the sum of',
  average: 'the average of',
  min: 'the least',
  max: 'the greatest',
  distinct: 'the number of different values of',
} as const satisfies Record<Measure['of'], string>;
const BOUND_WORDS = { is: 'is', is_not: 'is not', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function describeMeasure({ of, path, bounds }: Measure): string {
  const tests = bounds.map(({ test, units }) => `${BOUND_WORDS[test]} ${unitsText(units)}`);
  return `${MEASURES[of]} ${describePath(path)} ${tests.join(' and ')}`;
}

function describePath(path: readonly string[]): string {
  return path.map((key) => JSON.stringify(key)).join(' → ');
}

function describeMember({ path, tests }: Member): string {
  return `${describePath(path)} ${describeTests(tests)}`;
}

function describeTimes({ atLeast, atMost }: Times): string {
  if (atMost === 0) return 'never';
  if (atMost === null) return `at least ${describeNumber(atLeast)}`;
  if (atLeast === atMost) return `exactly ${describeNumber(atMost)}`;
  return atLeast === 0 ? `at most ${describeNumber(atMost)}` : `${atLeast} to ${describeNumber(atMost)}`;
}

function describeNumber(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}
