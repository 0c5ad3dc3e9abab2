/** Describes conditions in English, for people who read how their definition was evaluated. Pure. */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { describeTests } from '../operators/operators.ts';
import { type Audience, type Condition, type EventCondition, isCondition } from './audience.ts';
import type { ConditionOf, Instant, Member, Period, Times } from './audience.ts';

const GROUPS = { all: 'all of these', any: 'at least one of these', not: 'not this' } as const;
const HOUR: Micros = 3_600_000_000n;

const CONDITIONS: { readonly [K in Condition['kind']]: (condition: ConditionOf<K>) => string } = {
  trait: (condition) => `trait ${describeMember(condition)}`,
  event: describeEvent,
};

export function describe(audience: Audience): string {
  if (!isCondition(audience)) return GROUPS[audience.kind];
  return (CONDITIONS[audience.kind] as (condition: Condition) => string)(audience);
}

function describeEvent({ event, where, times, within, first, last }: EventCondition): string {
  const parts = [
    `event ${JSON.stringify(event)}${where.length === 0 ? '' : ` where ${where.map(describeMember).join(' and ')}`}`,
    describeTimes(times),
    ...(within ? [describePeriod(within)] : []),
    ...(first ? [`the first ${describePeriod(first)}`] : []),
    ...(last ? [`the last ${describePeriod(last)}`] : []),
  ];
  return parts.join(', ');
}

function describeMember({ path, tests }: Member): string {
  return `${path.map((key) => JSON.stringify(key)).join(' → ')} ${describeTests(tests)}`;
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

function describePeriod({ from, to }: Period): string {
  const isUpToNow = to !== null && 'ago' in to && to.ago === -1n;
  if (isUpToNow && from !== null && 'ago' in from) return `in the last ${describeDuration(from.ago)}`;
  const ends = [
    ...(from ? [`from ${describeInstant(from)}`] : []),
    ...(to && !isUpToNow ? [`before ${describeInstant(to)}`] : []),
  ];
  return ends.join(' and ');
}

function describeInstant(instant: Instant): string {
  return 'at' in instant ? formatMicros(instant.at) : `${describeDuration(instant.ago)} ago`;
}

function describeDuration(micros: Micros): string {
  const hours = micros / HOUR;
  return hours % 24n === 0n ? `${hours / 24n} days` : `${hours} hours`;
}
