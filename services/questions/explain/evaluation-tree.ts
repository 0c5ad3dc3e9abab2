import type { Micros } from '../../messages/message.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { type Audience, type Condition, conditionsIn, isCondition, partsOf } from '../definition/audience.ts';
import { describe } from '../definition/describe.ts';
import type { Steps } from '../steps.ts';
import {
  type ConditionState,
  type EvaluationInput,
  type Evidence,
  conditionStateOf,
} from '../one-user/condition-state.ts';

/** The result of one part of a definition for one user. Plain data. */
export type EvaluationNode = CommonNode & (GroupParts | Evidence);

interface CommonNode {
  /** RFC 6901 pointer to the part. */
  readonly path: string;
  /** The part described in English. */
  readonly condition: string;
  readonly isMet: boolean;
  /** The earliest instant after the evaluation at which `isMet` changes if no further message arrives; null: never. */
  readonly changesAt: Micros | null;
}

interface GroupParts {
  readonly kind: 'all' | 'any' | 'not' | 'audience';
  readonly of: readonly EvaluationNode[];
}

/** A part over time: its result at the evaluation, its result now, and when the result first changed. */
interface Part {
  readonly audience: Audience;
  readonly path: string;
  readonly of: readonly Part[];
  readonly wasMet: boolean;
  isMet: boolean;
  changesAt: Micros | null;
  /** The future instants at which the result of a condition changes. */
  readonly flips: Iterator<Micros, void, undefined>;
  next: Micros | undefined;
  /** The condition's; null where the part is a group. */
  readonly evidence: Evidence | null;
}

/**
 * Evaluates a definition for one user at one instant, and finds when each result changes after it.
 *
 * @param onPause Called at intervals; may throw.
 * @throws TidemarkError `QUERY_LIMIT`, as `Steps`; what `onPause` throws.
 */
export async function evaluated(
  audience: Audience,
  path: string,
  known: EvaluationInput,
  onPause: () => void,
): Promise<EvaluationNode> {
  const states = new Map<Condition, ConditionState>();
  const yielder = new EventLoopYielder();
  for (const { condition } of conditionsIn(audience, path)) {
    states.set(condition, conditionStateOf(condition, known));
    if (!yielder.isOver()) continue;
    onPause();
    await yielder.next();
  }
  const tree = new EvaluationTree(audience, path, states);
  await tree.lookAhead(known.steps, onPause);
  return tree.root;
}

/** The parts of a definition, over time. */
class EvaluationTree {
  readonly #states: ReadonlyMap<Condition, ConditionState>;
  readonly #root: Part;
  readonly #conditions: Part[] = [];

  /** @param states Those of its conditions. */
  constructor(audience: Audience, path: string, states: ReadonlyMap<Condition, ConditionState>) {
    this.#states = states;
    this.#root = this.#part(audience, path);
  }

  get root(): EvaluationNode {
    return this.#node(this.#root);
  }

  /** Finds when the result of each part changes. */
  async lookAhead(steps: Steps, onPause: () => void): Promise<void> {
    const yielder = new EventLoopYielder();
    steps.of = undefined;
    for (let instant = this.#nextFlip(); instant !== undefined; instant = this.#nextFlip()) {
      steps.take(this.#conditions.length);
      for (const condition of this.#conditions) {
        if (condition.next !== instant) continue;
        condition.isMet = !condition.isMet;
        condition.changesAt ??= instant;
        condition.next = condition.flips.next().value ?? undefined;
      }
      updateGroups(this.#root, instant);
      if (!yielder.isOver()) continue;
      onPause();
      await yielder.next();
    }
  }

  #nextFlip(): Micros | undefined {
    let earliest: Micros | undefined;
    for (const { next } of this.#conditions)
      if (next !== undefined && (earliest === undefined || next < earliest)) earliest = next;
    return earliest;
  }

  #part(audience: Audience, path: string): Part {
    const state = isCondition(audience) && this.#states.get(audience);
    if (state) {
      const { isMet, flips, evidence } = state;
      const next = flips.next().value ?? undefined;
      const part = { audience, path, of: [], wasMet: isMet, isMet, changesAt: null, flips, next, evidence };
      this.#conditions.push(part);
      return part;
    }
    const of = partsOf(audience, path).map(([part, at]) => this.#part(part, at));
    const isMet = combined(audience, of);
    const flips = [].values();
    return { audience, path, of, wasMet: isMet, isMet, changesAt: null, flips, next: undefined, evidence: null };
  }

  #node({ audience, path, of, wasMet, changesAt, evidence }: Part): EvaluationNode {
    const common = { path, condition: describe(audience), isMet: wasMet, changesAt };
    if (evidence !== null || isCondition(audience)) return { ...common, ...evidence } as EvaluationNode;
    return { ...common, kind: audience.kind, of: of.map((part) => this.#node(part)) };
  }
}

/** Recomputes groups from the results of their parts at the instant. */
function updateGroups(part: Part, instant: Micros): void {
  if (part.of.length === 0) return;
  for (const one of part.of) updateGroups(one, instant);
  part.isMet = combined(part.audience, part.of);
  if (part.isMet !== part.wasMet) part.changesAt ??= instant;
}

function combined({ kind }: Audience, of: readonly Part[]): boolean {
  if (kind === 'audience') return of[0]?.isMet === true;
  if (kind === 'all') return of.every(({ isMet }) => isMet);
  return kind === 'any' ? of.some(({ isMet }) => isMet) : of[0]?.isMet !== true;
}
