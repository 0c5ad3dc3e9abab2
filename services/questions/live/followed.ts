import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { END_OF_TIME } from '../../messages/timestamp.ts';
import {
  agesPassed,
  type Audience,
  type Condition,
  conditionsIn,
  isCondition,
  timeOver,
} from '../definition/audience.ts';
import type { JoinChange } from '../../stores/analytics/joins.ts';
import type { EvaluatedBy } from '../saved/audience-follower.ts';
import { textOf } from './bounds.ts';
import { DueQueue } from '../due-queue.ts';
import { type Brought, concerns, type Mentions, mentionsOf } from './mentions.ts';

/** What an insert wrote about a user. */
export interface TouchedUser {
  readonly userKey: string;
  /** Null: it may have been anything. */
  readonly names: Brought | null;
  /** How whose an anonymous id is has changed for the user. */
  readonly joinChange?: JoinChange | null;
}

/** Whom an insert is about. */
export type Inserted = readonly (TouchedUser & { readonly projectId: string })[];

/** With more candidates than this, an evaluation of the whole audience is quicker than deciding them one by one. */
const MAX_CANDIDATES = 20_000;

const MINUTE_MICROS = 60_000_000n;
const MAX_SPAN = DAY_MICROS / 24n;
const MIN_SPAN = 5n * MINUTE_MICROS;

/** A live audience: held while it is evaluated, then following the log. It does no I/O. */
export class Followed {
  readonly id: string;
  readonly projectId: string;
  /** The generation of analytics whose inserts it is told of. */
  readonly generation: number;
  /** Users to be decided. */
  candidates = new Set<string>();
  /** Users whom time may change until `horizonEnd`, and whose due times are not known yet. */
  undated: string[] | null = null;
  readonly dues = new DueQueue<string>();
  /** Due times before this are kept. */
  horizonEnd = 0n;
  /** Due times before this are known, of all users. */
  datedUntil = 0n;
  isAsking = false;
  /** Whether it is as far as the epoch, by the database. */
  hasJoined = false;
  #by: (EvaluatedBy & { readonly text: string; readonly mentions: Mentions }) | undefined;
  #held: TouchedUser[] = [];
  #isFlooded = false;
  #conditions: readonly Condition[] = [];

  constructor(id: string, projectId: string, generation: number) {
    this.id = id;
    this.projectId = projectId;
    this.generation = generation;
  }

  /** What it was last evaluated by; undefined while it is held. */
  get by(): (EvaluatedBy & { readonly text: string; readonly mentions: Mentions }) | undefined {
    return this.#by;
  }

  get conditions(): readonly Condition[] {
    return this.#conditions;
  }

  /**
   * @param at When it was evaluated: time may have changed somebody since.
   * @param intern Makes equal conditions of all audiences one object.
   */
  follow(by: EvaluatedBy, at: Micros, intern: (audience: Audience) => Audience): void {
    const definition = intern(by.definition);
    this.#by = { ...by, definition, text: textOf(by.definition), mentions: mentionsOf(definition) };
    this.#conditions = [...new Set(conditionsIn(definition, '').map(({ condition }) => condition))];
    for (const touched of this.#held) this.touch(touched, () => false);
    this.#held = [];
    this.datedUntil = at;
  }

  /** @param isKnown Whether the user was decided since the audience follows. */
  touch({ userKey, names }: TouchedUser, isKnown: () => boolean): void {
    this.#isFlooded ||= Math.max(this.candidates.size, this.#held.length) >= MAX_CANDIDATES;
    if (this.#isFlooded) return;
    if (this.#by === undefined) {
      this.#held.push({ userKey, names });
      return;
    }
    const { mentions } = this.#by;
    const isConcerned = names === null || concerns(mentions, names);
    if (isConcerned || (mentions.fitsUnknown && !isKnown())) this.candidates.add(userKey);
  }

  /** Whether an evaluation is less work than what has come. From then on nothing is kept. */
  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  /** Notes when time alone may change the user, if that is within the horizon. */
  note(userKey: string, due: Micros | null): void {
    if (due !== null && due <= this.horizonEnd) this.dues.push(due, userKey);
  }

  /** For how long it is asked at once whom time may change: shorter where ends of periods pass soon after an event. */
  get span(): Micros {
    const ages = this.#conditions.flatMap(agesIn);
    const shortest = ages.reduce((least, age) => (age < least ? age : least), END_OF_TIME) / 12n;
    if (shortest > MAX_SPAN) return MAX_SPAN;
    return shortest < MIN_SPAN ? MIN_SPAN : shortest;
  }
}

function agesIn(condition: Condition): readonly Micros[] {
  if (condition.kind !== 'event') return [];
  const { within, first, last, sequence } = condition;
  return agesPassed([within, first, last, sequence && timeOver(sequence)]).filter((age) => age > 1n);
}

/** Makes equal conditions one object, so that each is decided once for a user. */
export class Interned {
  readonly #conditions = new Map<string, Condition>();

  readonly intern = (audience: Audience): Audience => {
    if (!isCondition(audience)) {
      if (audience.kind === 'not' || audience.kind === 'audience') return { ...audience, of: this.intern(audience.of) };
      return { ...audience, of: audience.of.map(this.intern) };
    }
    const text = textOf(audience);
    const known = this.#conditions.get(text);
    if (known !== undefined) return known;
    this.#conditions.set(text, audience);
    return audience;
  };

  /** Forgets what none of these audiences has any more. */
  keepOnly(conditions: Iterable<Condition>): void {
    const kept = new Set(conditions);
    for (const [text, condition] of this.#conditions) if (!kept.has(condition)) this.#conditions.delete(text);
  }
}
