import type { Position } from '../../event-log/event-log.ts';
import { beginningOf } from '../../event-log/identity.ts';
import type { Plan } from '../../stores/profiles/profile-store.ts';

/** Where the sink resumes a partition. */
export interface Resumption {
  /** The position to read from. */
  readonly start: Position;
  /** A plan from `start` to here was stored, and perhaps inserted: all of it is to be inserted again. */
  readonly until?: Position;
  /** Analytics has less than was planned: the plans are to be set back from here to `start` first. */
  readonly rewindFrom?: Position;
}

/**
 * Compares the last plan with the ingested range. If analytics has less, after a power cut or from a restored backup, what
 * is missing is read and inserted again. If it has more, or all of a plan that is not marked as inserted, inserting again
 * changes no answer; it also writes the dead letters of that plan, which may be missing.
 */
export function resume(plan: Plan | undefined, ingested: Position): Resumption {
  if (plan === undefined) return { start: beginningOf(ingested) };
  const planned = plan.inserted ? plan.to : plan.from;
  if (ingested.offset < planned.offset) return { start: ingested, rewindFrom: planned };
  return plan.inserted ? { start: plan.to } : { start: plan.from, until: plan.to };
}
