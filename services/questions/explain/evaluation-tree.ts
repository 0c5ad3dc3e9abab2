import type { Micros } from '../../messages/message.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { type Audience, type EventCondition, partsOf, type TraitCondition } from '../definition/audience.ts';
import { describe } from '../definition/describe.ts';
import { type CountedEvent, EventWindow } from './event-window.ts';
import { conditionValue, type KnownTrait, passesTrait } from './user-traits.ts';

/** The result of one part of a definition for one user. Plain data. */
export type EvaluationNode = GroupNode | TraitNode | EventNode;

interface CommonNode {
  /** RFC 6901 pointer to the part. */
  readonly path: string;
  /** The part described in English. */
  readonly condition: string;
  readonly isMet: boolean;
  /** The earliest instant after the evaluation at which `isMet` changes if no further message arrives; null: never. */
  readonly changesAt: Micros | null;
}

export interface GroupNode extends CommonNode {
  readonly kind: 'all' | 'any' | 'not';
  readonly of: readonly EvaluationNode[];
}

export interface TraitNode extends CommonNode {
  readonly kind: 'trait';
  /** The value that the condition tests; undefined if missing. Numbers may be `JSON.rawJSON`. */
  readonly value: unknown;
  /** The message that set the trait as a whole; null where no message mentions it. */
  readonly setBy: (KnownTrait['setAt'] & Pick<KnownTrait, 'isDeleted'>) | null;
}

export interface EventNode extends CommonNode {
  readonly kind: 'event';
  /** Different messages counted. */
  readonly count: number;
  readonly first: CountedEvent | null;
  readonly last: CountedEvent | null;
  /** The newest of those counted, newest first. */
  readonly events: readonly CountedEvent[];
}

export interface EvaluationInput {
  readonly traits: ReadonlyMap<string, KnownTrait>;
  readonly events: ReadonlyMap<EventCondition, readonly CountedEvent[]>;
  readonly now: Micros;
  readonly eventsShown: number;
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
}

type EventEvidence = Pick<EventNode, 'count' | 'first' | 'last' | 'events'>;

const NO_EVENTS: EventEvidence = { count: 0, first: null, last: null, events: [] };

/** Evaluates a definition for one user at one instant, and finds when each result changes after it. */
export class EvaluationTree {
  readonly #known: EvaluationInput;
  readonly #root: Part;
  readonly #conditions: Part[] = [];
  readonly #evidence = new Map<Audience, EventEvidence>();

  constructor(audience: Audience, path: string, known: EvaluationInput) {
    this.#known = known;
    this.#root = this.#part(audience, path);
  }

  get root(): EvaluationNode {
    return this.#node(this.#root);
  }

  /** Finds when the result of each part changes. @param onPause Called at intervals; may throw. */
  async lookAhead(onPause: () => void): Promise<void> {
    const yielder = new EventLoopYielder();
    for (let instant = this.#nextFlip(); instant !== undefined; instant = this.#nextFlip()) {
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
    if (audience.kind === 'trait') return this.#traitPart(audience, path);
    if (audience.kind === 'event') return this.#eventPart(audience, path);
    const of = partsOf(audience, path).map(([part, at]) => this.#part(part, at));
    const isMet = combined(audience, of);
    return { audience, path, of, wasMet: isMet, isMet, changesAt: null, flips: NEVER, next: undefined };
  }

  #traitPart(condition: TraitCondition, path: string): Part {
    const isMet = passesTrait(condition, this.#known.traits.get(condition.path[0] ?? ''));
    return { audience: condition, path, of: [], wasMet: isMet, isMet, changesAt: null, flips: NEVER, next: undefined };
  }

  #eventPart(condition: EventCondition, path: string): Part {
    const { events, now, eventsShown } = this.#known;
    const window = new EventWindow(condition, events.get(condition) ?? [], now);
    const { count, first = null, last = null, isMet } = window;
    this.#evidence.set(condition, { count, first, last, events: window.newest(eventsShown) });
    const flips = window.flips();
    const next = flips.next().value ?? undefined;
    const part = { audience: condition, path, of: [], wasMet: isMet, isMet, changesAt: null, flips, next };
    this.#conditions.push(part);
    return part;
  }

  #node({ audience, path, of, wasMet, changesAt }: Part): EvaluationNode {
    const common = { path, condition: describe(audience), isMet: wasMet, changesAt };
    if (audience.kind === 'trait') return { ...common, kind: 'trait', ...this.#traitEvidence(audience) };
    if (audience.kind === 'event') return { ...common, kind: 'event', ...(this.#evidence.get(audience) ?? NO_EVENTS) };
    return { ...common, kind: audience.kind, of: of.map((part) => this.#node(part)) };
  }

  #traitEvidence(condition: TraitCondition): Pick<TraitNode, 'value' | 'setBy'> {
    const trait = this.#known.traits.get(condition.path[0] ?? '');
    const value = conditionValue(condition, trait);
    return { value, setBy: trait === undefined ? null : { ...trait.setAt, isDeleted: trait.isDeleted } };
  }
}

const NEVER: Iterator<Micros, void, undefined> = { next: () => ({ done: true, value: undefined }) };

/** Recomputes groups from the results of their parts at the instant. */
function updateGroups(part: Part, instant: Micros): void {
  if (part.of.length === 0) return;
  for (const one of part.of) updateGroups(one, instant);
  part.isMet = combined(part.audience, part.of);
  if (part.isMet !== part.wasMet) part.changesAt ??= instant;
}

function combined({ kind }: Audience, of: readonly Part[]): boolean {
  if (kind === 'all') return of.every(({ isMet }) => isMet);
  return kind === 'any' ? of.some(({ isMet }) => isMet) : of[0]?.isMet !== true;
}
