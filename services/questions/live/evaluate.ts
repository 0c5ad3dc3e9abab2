import type { Micros } from '../../messages/message.ts';
import { type Audience, type Condition, inSequence, isCondition } from '../definition/audience.ts';
import { conditionStateOf, type EvaluationInput } from '../one-user/condition-state.ts';

/** Whether one user is in an audience, or passes a part of it, at one instant. */
export interface Decision {
  readonly isMet: boolean;
  /** Until then time alone does not change `isMet`; null: never. It may stay the same at that instant too. */
  readonly due: Micros | null;
}

/**
 * Decides an audience from the decisions on its conditions. A group changes no sooner than its parts let it: an `all` that
 * is not met waits for every part that is not, so for the last of them; once met, it lasts until the first part changes. An
 * `any` is the mirror of that.
 */
export function evaluate(audience: Audience, decide: (condition: Condition) => Decision): Decision {
  if (isCondition(audience)) return decide(audience);
  if (audience.kind === 'audience') return evaluate(audience.of, decide);
  if (audience.kind === 'not') {
    const { isMet, due } = evaluate(audience.of, decide);
    return { isMet: !isMet, due };
  }
  const isAll = audience.kind === 'all';
  const parts = audience.of.map((part) => evaluate(part, decide));
  const deciding = parts.filter(({ isMet }) => isMet !== isAll);
  if (deciding.length === 0) return { isMet: isAll, due: firstDue(parts) };
  return { isMet: !isAll, due: lastDue(deciding) };
}

type Decide = (condition: Condition) => Decision;

/**
 * Decides conditions of one user at one instant, each once, however many audiences have it.
 *
 * @param withoutEvents The same of somebody without any events, at that instant. Most users have none of what most
 *   conditions count, so that one decision serves all of them.
 * @throws as `flipsOf`.
 */
export function decisionsOn(known: Omit<EvaluationInput, 'eventsShown'>, withoutEvents?: Decide): Decide {
  const decided = new Map<Condition, Decision>();
  return (condition) => {
    if (withoutEvents !== undefined && hasNone(condition, known.events)) return withoutEvents(condition);
    const before = decided.get(condition);
    if (before !== undefined) return before;
    const { isMet, flips } = conditionStateOf(condition, { ...known, eventsShown: 0 });
    const decision = { isMet, due: flips.next().value ?? null };
    decided.set(condition, decision);
    return decision;
  };
}

function hasNone(condition: Condition, events: EvaluationInput['events']): boolean {
  if (condition.kind !== 'event') return false;
  return inSequence(condition).every((one) => (events.get(one)?.length ?? 0) === 0);
}

function firstDue(decisions: readonly Decision[]): Micros | null {
  let found: Micros | null = null;
  for (const { due } of decisions) if (due !== null && (found === null || due < found)) found = due;
  return found;
}

/** Null if one of them never changes. */
function lastDue(decisions: readonly Decision[]): Micros | null {
  let found: Micros | null = null;
  for (const { due } of decisions) {
    if (due === null) return null;
    if (found === null || due > found) found = due;
  }
  return found;
}
