/**
 * A definition in English, for people who read it. Names and texts are in the quotation marks of JSON, so that whoever shows
 * a description can tell them from its words. Pure.
 */
import { unitsText } from '../measures/exact-number.ts';
import { describeMember, quotedPath } from '../operators/operators.ts';
import { type Audience, type Condition, type ConditionOf, type EventCondition, isCondition } from './audience.ts';
import type { Measure, Member, Sequence, Times } from './audience.ts';
import { describeDuration, describePeriod } from './describe-period.ts';

type Describers = { readonly [K in Condition['kind']]: (condition: ConditionOf<K>) => string };

const CONDITIONS: Describers = {
  trait: describeTrait,
  event: describeEvent,
  sample: ({ hundredths, seed }) =>
    `who are in the sample of ${hundredths / 100} % by the seed ${JSON.stringify(seed)}`,
  users: ({ ids }) =>
    ids.length === 1 ? `who have the id ${JSON.stringify(ids[0])}` : `who are in a list of ${ids.length} ids`,
};

/** One line for each condition and each group; the parts of a group follow it, two spaces further in. */
export function describeLines(audience: Audience, indent = ''): string {
  const parts = listedParts(audience);
  const head = `${indent}${describe(audience)}${parts.length === 0 ? '' : ':'}`;
  return [head, ...parts.map((part) => describeLines(part, `${indent}  `))].join('\n');
}

/** One part; a group without the conditions in it. */
export function describe(audience: Audience): string {
  if (isCondition(audience)) return (CONDITIONS[audience.kind] as (condition: Condition) => string)(audience);
  if (audience.kind === 'audience') return `who are in the audience ${JSON.stringify(audience.name)}`;
  if (audience.kind === 'not') return describeNegation(audience.of);
  return audience.kind === 'all' ? 'all of these' : 'at least one of these';
}

function describeNegation(negated: Audience): string {
  if (negated.kind === 'not') return 'not this';
  if (negated.kind === 'all' || negated.kind === 'any')
    return `${negated.kind === 'all' ? 'not all' : 'none'} of these`;
  return `not those ${describe(negated)}`;
}

/** The parts that have lines of their own: a `not` stands on one line with what it negates. */
function listedParts(audience: Audience): readonly Audience[] {
  if (audience.kind === 'all' || audience.kind === 'any') return audience.of;
  if (audience.kind !== 'not') return [];
  return audience.of.kind === 'not' ? [audience.of] : listedParts(audience.of);
}

function describeTrait(member: Member): string {
  const [test, ...others] = member.tests;
  if (test?.test === 'exists' && others.length === 0)
    return `who have ${test.value ? 'a' : 'no'} ${quotedPath(member)}`;
  return `whose ${describeMember(member)}`;
}

function describeEvent(condition: EventCondition): string {
  const { times, within, first, last, sequence, measure } = condition;
  const parts = [
    `${times.atMost === 0 ? 'who did not do' : 'who did'} ${describeEvents(condition)}`,
    ...describeTimes(times),
    ...(within ? [describePeriod(within)] : []),
  ];
  const ends = [
    ...(sequence ? [describeSequence(sequence)] : []),
    ...(measure ? [describeMeasure(measure)] : []),
    ...(first ? [`the first time ${within || sequence ? '' : 'ever '}${describePeriod(first)}`] : []),
    ...(last ? [`the last time ${describePeriod(last)}`] : []),
  ];
  return [parts.join(' '), ...ends].join(', ');
}

/** The names of events, and what their properties are. */
export function describeEvents({ events, where }: Pick<EventCondition, 'events' | 'where'>): string {
  const names = events === null ? 'anything' : events.map((name) => JSON.stringify(name)).join(' or ');
  return `${names}${where.length === 0 ? '' : ` where ${where.map(describeMember).join(' and ')}`}`;
}

function describeSequence({ isFollowed, later, within, which }: Sequence): string {
  const subject = which === 'any' ? '' : `the ${which} of them `;
  return `${subject}${isFollowed ? '' : 'not '}followed by ${describeLater({ later, within })}`;
}

function describeLater({ later, within }: Pick<Sequence, 'later' | 'within'>): string {
  const end = later.sequence ? `, then by ${describeLater(later.sequence)}` : '';
  return `${describeEvents(later)} within ${describeDuration(within)}${end}`;
}

const MEASURE_WORDS = {
  sum: 'the sum of',
  average: 'the average of',
  min: 'the minimum of',
  max: 'the maximum of',
  distinct: 'the number of different values of',
} as const satisfies Record<Measure['of'], string>;
const BOUND_WORDS = {
  is: 'is',
  is_not: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
} as const;

function describeMeasure(measure: Measure): string {
  const tests = measure.bounds.map(({ test, units }) => `${BOUND_WORDS[test]} ${unitsText(units)}`);
  return `${MEASURE_WORDS[measure.of]} ${quotedPath(measure)} ${tests.join(' and ')}`;
}

/** Nothing for once or more, which goes without saying, and for never. */
function describeTimes({ atLeast, atMost }: Times): readonly string[] {
  if (atMost === 0 || (atLeast === 1 && atMost === null)) return [];
  if (atMost === null) return [`at least ${describeCount(atLeast)}`];
  if (atLeast === atMost) return [`exactly ${describeCount(atMost)}`];
  return [atLeast === 0 ? `at most ${describeCount(atMost)}` : `between ${atLeast} and ${atMost} times`];
}

function describeCount(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}
