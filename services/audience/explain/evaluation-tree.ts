import type { Micros } from '../../messages/message.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { Audience, EventCondition, TraitCondition } from '../definition/audience.ts';
import { type EventWindow, EventWindows } from './event-window.ts';
import { type KnownTrait, passesTrait, valueAskedFor } from './user-traits.ts';
import { partsOf } from '../definition/traverse.ts';
import { wordsOf } from '../definition/describe.ts';

/** What became of a part of a definition, for one user. Plain data. */
export type Verdict = GroupVerdict | TraitVerdict | EventVerdict;

interface CommonVerdict {
  /** RFC 6901 pointer to the part. */
  readonly path: string;
  /** The part in words. */
  readonly condition: string;
  readonly isMet: boolean;
  /** The earliest instant after the evaluation at which, with no further message, `isMet` becomes another; null: never. */
  readonly changesAt: Micros | null;
}

export interface GroupVerdict extends CommonVerdict {
  readonly kind: 'all' | 'any' | 'not';
  readonly of: readonly Verdict[];
}

export interface TraitVerdict extends CommonVerdict {
  readonly kind: 'trait';
  /** The value asked for: undefined where it is missing. Numbers may be `JSON.rawJSON`. */
  readonly value: unknown;
  /** Of the trait as a whole; null where no message mentions it. */
  readonly setBy: (KnownTrait['setAt'] & Pick<KnownTrait, 'isDeleted'>) | null;
}

export interface EventVerdict extends CommonVerdict {
  readonly kind: 'event';
  /** Different messages counted. */
  readonly count: number;
  readonly first: EventWindow | null;
  readonly last: EventWindow | null;
  /** The newest of those counted, newest first. */
  readonly events: readonly EventWindow[];
}

export interface Known {
  readonly traits: ReadonlyMap<string, KnownTrait>;
  readonly events: ReadonlyMap<EventCondition, readonly EventWindow[]>;
  readonly now: Micros;
  readonly eventsShown: number;
}

/** A part as time goes on: what it was at the evaluation, what it is, and when it first became another. */
interface Part {
  readonly audience: Audience;
  readonly path: string;
  readonly of: readonly Part[];
  readonly wasMet: boolean;
  isMet: boolean;
  changesAt: Micros | null;
  /** The instants still to come at which a condition becomes another. */
  readonly flips: Iterator<Micros, void, undefined>;
  next: Micros | undefined;
}

type EventEvidence = Pick<EventVerdict, 'count' | 'first' | 'last' | 'events'>;

const NO_EVENTS: EventEvidence = { count: 0, first: null, last: null, events: [] };

/** Evaluates a definition for one user, at one instant and then at all that follow. */
export class Verdicts {
  readonly #known: Known;
  readonly #root: Part;
  readonly #conditions: Part[] = [];
  readonly #evidence = new Map<Audience, EventEvidence>();

  constructor(audience: Audience, path: string, known: Known) {
    this.#known = known;
    this.#root = this.#part(audience, path);
  }

  get root(): Verdict {
    return this.#verdict(this.#root);
  }

  /** Finds out when each part becomes another. @param onPause Called now and then; may throw. */
  async lookAhead(onPause: () => void): Promise<void> {
    const turns = new EventLoopYielder();
    for (let instant = this.#nextFlip(); instant !== undefined; instant = this.#nextFlip()) {
      for (const condition of this.#conditions) {
        if (condition.next !== instant) continue;
        condition.isMet = !condition.isMet;
        condition.changesAt ??= instant;
        condition.next = condition.flips.next().value ?? undefined;
      }
      settle(this.#root, instant);
      if (!turns.isOver()) continue;
      onPause();
      await turns.next();
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
    const occurrences = new EventWindows(condition, events.get(condition) ?? [], now);
    const { count, first = null, last = null, verdict: isMet } = occurrences;
    this.#evidence.set(condition, { count, first, last, events: occurrences.newest(eventsShown) });
    const flips = occurrences.flips();
    const next = flips.next().value ?? undefined;
    const part = { audience: condition, path, of: [], wasMet: isMet, isMet, changesAt: null, flips, next };
    this.#conditions.push(part);
    return part;
  }

  #verdict({ audience, path, of, wasMet, changesAt }: Part): Verdict {
    const common = { path, condition: wordsOf(audience), isMet: wasMet, changesAt };
    if (audience.kind === 'trait') return { ...common, kind: 'trait', ...this.#traitEvidence(audience) };
    if (audience.kind === 'event') return { ...common, kind: 'event', ...(this.#evidence.get(audience) ?? NO_EVENTS) };
    return { ...common, kind: audience.kind, of: of.map((part) => this.#verdict(part)) };
  }

  #traitEvidence(condition: TraitCondition): Pick<TraitVerdict, 'value' | 'setBy'> {
    const trait = this.#known.traits.get(condition.path[0] ?? '');
    const value = valueAskedFor(condition, trait);
    return { value, setBy: trait === undefined ? null : { ...trait.setAt, isDeleted: trait.isDeleted } };
  }
}

const NEVER: Iterator<Micros, void, undefined> = { next: () => ({ done: true, value: undefined }) };

/** Brings groups up to what their parts are at the instant. */
function settle(part: Part, instant: Micros): void {
  if (part.of.length === 0) return;
  for (const one of part.of) settle(one, instant);
  part.isMet = combined(part.audience, part.of);
  if (part.isMet !== part.wasMet) part.changesAt ??= instant;
}

function combined({ kind }: Audience, of: readonly Part[]): boolean {
  if (kind === 'all') return of.every(({ isMet }) => isMet);
  return kind === 'any' ? of.some(({ isMet }) => isMet) : of[0]?.isMet !== true;
}
