/** Conditions in words, for people who read what became of their definition. Pure. */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Audience, Constant, EventCondition, Instant, Member, Period, Test, Times } from './audience.ts';

const GROUPS = { all: 'all of these', any: 'at least one of these', not: 'not this' } as const;
const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const HOUR: Micros = 3_600_000_000n;

export function wordsOf(audience: Audience): string {
  if (audience.kind === 'event') return eventWords(audience);
  return audience.kind === 'trait' ? `trait ${memberWords(audience)}` : GROUPS[audience.kind];
}

function eventWords({ event, where, times, within, first, last }: EventCondition): string {
  const words = [
    `event ${JSON.stringify(event)}${where.length === 0 ? '' : ` where ${where.map(memberWords).join(' and ')}`}`,
    timesWords(times),
    ...(within ? [periodWords(within)] : []),
    ...(first ? [`the first ${periodWords(first)}`] : []),
    ...(last ? [`the last ${periodWords(last)}`] : []),
  ];
  return words.join(', ');
}

function memberWords({ path, tests }: Member): string {
  return `${path.map((key) => JSON.stringify(key)).join(' → ')} ${tests.map(testWords).join(' and ')}`;
}

function testWords(test: Test): string {
  switch (test.test) {
    case 'is':
      return `is ${constantWords(test.value)}`;
    case 'is_not':
      return `is not ${constantWords(test.value)}`;
    case 'in':
      return `is one of ${test.values.map(constantWords).join(', ')}`;
    case 'exists':
      return test.value ? 'exists' : 'is missing';
    case 'contains':
      return `contains ${constantWords(test.value)}`;
    case 'starts_with':
      return `starts with ${constantWords(test.value)}`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      break;
  }
  return `${SIGNS[test.test]} ${constantWords(test.value)}`;
}

function constantWords(constant: Constant): string {
  return typeof constant === 'object' ? String(constant.integer ?? constant.double) : JSON.stringify(constant);
}

function timesWords({ atLeast, atMost }: Times): string {
  if (atMost === 0) return 'never';
  if (atMost === null) return `at least ${timesOf(atLeast)}`;
  if (atLeast === atMost) return `exactly ${timesOf(atMost)}`;
  return atLeast === 0 ? `at most ${timesOf(atMost)}` : `${atLeast} to ${timesOf(atMost)}`;
}

function timesOf(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}

function periodWords({ from, to }: Period): string {
  const isUpToNow = to !== null && 'ago' in to && to.ago === -1n;
  if (isUpToNow && from !== null && 'ago' in from) return `in the last ${durationWords(from.ago)}`;
  const ends = [
    ...(from ? [`from ${instantWords(from)}`] : []),
    ...(to && !isUpToNow ? [`before ${instantWords(to)}`] : []),
  ];
  return ends.join(' and ');
}

function instantWords(instant: Instant): string {
  return 'at' in instant ? formatMicros(instant.at) : `${durationWords(instant.ago)} ago`;
}

function durationWords(micros: Micros): string {
  const hours = micros / HOUR;
  return hours % 24n === 0n ? `${hours / 24n} days` : `${hours} hours`;
}
