/** Describes times in English. Pure. */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Instant, Period } from './audience.ts';

const HOUR: Micros = 3_600_000_000n;

export function describePeriod({ from, to }: Period): string {
  const isUpToNow = to !== null && 'ago' in to && to.ago === -1n;
  if (isUpToNow && from !== null && 'ago' in from) return `in the last ${describeDuration(from.ago)}`;
  const isFromNow = from !== null && 'ago' in from && from.ago === 0n;
  if (isFromNow && to !== null && 'ago' in to) return `in the next ${describeDuration(-to.ago - 1n)}`;
  const ends = [
    ...(from ? [`from ${describeInstant(from)}`] : []),
    ...(to && !isUpToNow ? [`before ${describeInstant(to)}`] : []),
  ];
  return ends.join(' and ');
}

function describeInstant(instant: Instant): string {
  if ('at' in instant) return formatMicros(instant.at);
  return instant.ago < 0n ? `${describeDuration(-instant.ago)} from now` : `${describeDuration(instant.ago)} ago`;
}

export function describeDuration(micros: Micros): string {
  const hours = micros / HOUR;
  const [count, unit] = hours % 24n === 0n ? [hours / 24n, 'day'] : [hours, 'hour'];
  return `${count} ${unit}${count === 1n ? '' : 's'}`;
}
