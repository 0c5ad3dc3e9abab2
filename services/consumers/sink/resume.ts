import type { Position } from '../../event-log/event-log.ts';
import { beginningOf } from '../../event-log/identity.ts';
import type { Plan } from '../../stores/profiles/profile-store.ts';

/** How the sink goes on with a partition. */
export interface Resumption {
  /** Where to read from. */
  readonly start: Position;
  /** A plan from `start` to here was fixed, and perhaps inserted: it is to be inserted again, whole. */
  readonly until?: Position;
  /** Analytics holds less than the plans say: they are to be set back to `start` first, from here. */
  readonly rewindFrom?: Position;
}

/**
 * Compares what the plans say with what analytics holds. Less, after a power cut or from a restored backup: what is
 * missing is read and inserted again. More does not matter, nor does a plan not known to be inserted that is ingested
 * whole: inserting again changes no answer, and its dead letters may not have been written.
 */
export function resume(plan: Plan | undefined, ingested: Position): Resumption {
  if (plan === undefined) return { start: beginningOf(ingested) };
  const planned = plan.inserted ? plan.to : plan.from;
  if (ingested.offset < planned.offset) return { start: ingested, rewindFrom: planned };
  return plan.inserted ? { start: plan.to } : { start: plan.from, until: plan.to };
}
