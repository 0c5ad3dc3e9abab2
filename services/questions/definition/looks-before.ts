/** How far back in time the conditions of a definition look at events. Pure. */
import type { Micros } from '../../messages/message.ts';
import { type Audience, type EventCondition, microsOf, ownConditions } from './audience.ts';

/**
 * Pointers to the conditions that look at events before this instant, in an evaluation at `now`. Those of the audiences that it refers to
 * are not among them.
 */
export function looksBefore(audience: Audience, path: string, instant: Micros, now: Micros): readonly string[] {
  return ownConditions(audience, path).flatMap(({ path: at, condition }) => {
    if (condition.kind !== 'event') return [];
    const from = earliestOf(condition);
    return from === null || microsOf(from, now) < instant ? [at] : [];
  });
}

/** Null: any event may matter. */
function earliestOf({ within, times, first, last, sequence, measure }: EventCondition) {
  if (within !== null && within.from !== null) return within.from;
  const isLastAlone = times.atLeast <= 1 && times.atMost === null && !first && !sequence && !measure;
  return isLastAlone ? (last?.from ?? null) : null;
}
