/**
 * A definition in English, for people who read it. Names and texts are in the quotation marks of JSON, so that whoever shows
 * a description can tell them from its words. Pure.
 */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Audience, Constant, EventCondition, Instant, Member, Period, Test, Times } from './audience.ts';

const OPERATORS = {
  is: 'is',
  is_not: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  starts_with: 'begins with',
} as const;

const HOUR: Micros = 3_600_000_000n;

/** One line for each condition and each group; the parts of a group follow it, two spaces further in. */
export function describeLines(audience: Audience, indent = ''): string {
  const parts = listedParts(audience);
  const head = `${indent}${describe(audience)}${parts.length === 0 ? '' : ':'}`;
  return [head, ...parts.map((part) => describeLines(part, `${indent}  `))].join('\n');
}

/** One part; a group without the conditions in it. */
export function describe(audience: Audience): string {
  if (audience.kind === 'event') return describeEvent(audience);
  if (audience.kind === 'trait') return describeTrait(audience);
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

function describeEvent({ event, where, times, within, first, last }: EventCondition): string {
  const parts = [
    `${times.atMost === 0 ? 'who did not do' : 'who did'} ${JSON.stringify(event)}`,
    ...(where.length === 0 ? [] : [`where ${where.map(describeMember).join(' and ')}`]),
    ...describeTimes(times),
    ...(within ? [describePeriod(within)] : []),
  ];
  const ends = [
    ...(first ? [`the first time ${describePeriod(first)}`] : []),
    ...(last ? [`the last time ${describePeriod(last)}`] : []),
  ];
  return [parts.join(' '), ...ends].join(', ');
}

function describeMember(member: Member): string {
  return `${quotedPath(member)} ${member.tests.map(describeTest).join(' and ')}`;
}

function quotedPath({ path }: Member): string {
  return path.map((key) => JSON.stringify(key)).join(' → ');
}

function describeTest(test: Test): string {
  if (test.test === 'exists') return test.value ? 'is there' : 'is missing';
  if (test.test !== 'in') return `${OPERATORS[test.test]} ${describeConstant(test.value)}`;
  const values = test.values.map(describeConstant);
  const last = values.pop() ?? '';
  return `is one of ${values.length === 0 ? last : `${values.join(', ')} or ${last}`}`;
}

function describeConstant(constant: Constant): string {
  return typeof constant === 'object' ? String(constant.integer ?? constant.double) : JSON.stringify(constant);
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

function describePeriod({ from, to }: Period): string {
  if (from === null) return to === null ? 'at any time' : `before ${describeInstant(to)}`;
  if (to === null) return `since ${describeInstant(from)}`;
  const isUpToNow = 'ago' in to && to.ago === -1n;
  if (isUpToNow && 'ago' in from) return `in the last ${describeDuration(from.ago)}`;
  return `from ${describeInstant(from)} until ${describeInstant(to)}`;
}

/** An instant without zeros at its end: `2026-11-01` where it is midnight in UTC. */
function describeInstant(instant: Instant): string {
  if ('ago' in instant) return `${describeDuration(instant.ago)} ago`;
  return formatMicros(instant.at)
    .replace(/\.?0+Z$/, 'Z')
    .replace(/T00:00:00Z$/, '');
}

function describeDuration(micros: Micros): string {
  const hours = micros / HOUR;
  const [count, unit] = hours % 24n === 0n ? [hours / 24n, 'day'] : [hours, 'hour'];
  return `${count} ${unit}${count === 1n ? '' : 's'}`;
}
