/** Describes times in English. Pure. */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Instant, Period } from './audience.ts';

const HOUR: Micros = 3_600_000_000n;

export function describePeriod({ from, to }: Period): string {
  if (from === null) return to === null ? 'at any time' : `before ${describeInstant(to)}`;
  if (to === null) return `since ${describeInstant(from)}`;
  if ('ago' in from && from.ago === 0n && 'ago' in to) return `in the next ${describeDuration(-to.ago - 1n)}`;
  const isUpToNow = 'ago' in to && to.ago === -1n;
  if (isUpToNow && 'ago' in from) return `in the last ${describeDuration(from.ago)}`;
  return `from ${describeInstant(from)} until ${describeInstant(to)}`;
}

/** An instant without zeros at its end: `2026-11-01` where it is midnight in UTC. */
function describeInstant(instant: Instant): string {
  if ('ago' in instant)
    return instant.ago < 0n ? `${describeDuration(-instant.ago)} from now` : `${describeDuration(instant.ago)} ago`;
  return formatMicros(instant.at)
    .replace(/\.?0+Z$/, 'Z')
    .replace(/T00:00:00Z$/, '');
}

export function describeDuration(micros: Micros): string {
  const hours = micros / HOUR;
  const [count, unit] = hours % 24n === 0n ? [hours / 24n, 'day'] : [hours, 'hour'];
  return `${count} ${unit}${count === 1n ? '' : 's'}`;
}
