/** The result of a condition for one user: at the evaluation, after it, and what it rests on. */
import type { Micros } from '../../messages/message.ts';
import type {
  Condition,
  ConditionOf,
  EventCondition,
  SampleCondition,
  TraitCondition,
  UsersCondition,
} from '../definition/audience.ts';
import type { AtEvaluation } from '../operators/operator.ts';
import { listedKeys } from '../sql/listed-users.ts';
import { samplePosition } from '../sql/sample.ts';
import type { CountedEvent } from './event-window.ts';
import { windowOf } from './sequence-window.ts';
import { conditionValue, courseOfTrait, type KnownTrait } from './user-traits.ts';

/** What is known of the user. */
export interface EvaluationInput extends AtEvaluation {
  readonly traits: ReadonlyMap<string, KnownTrait>;
  readonly events: ReadonlyMap<EventCondition, readonly CountedEvent[]>;
  readonly projectId: string;
  /** The internal id. */
  readonly userKey: string;
  readonly eventsShown: number;
}

export interface TraitEvidence {
  readonly kind: 'trait';
  /** The value that the condition tests; undefined if missing. Numbers may be `JSON.rawJSON`. */
  readonly value: unknown;
  /** The message that set the trait as a whole; null where no message mentions it. */
  readonly setBy: (KnownTrait['setAt'] & Pick<KnownTrait, 'isDeleted'>) | null;
}

export interface EventEvidence {
  readonly kind: 'event';
  /** Different messages counted. */
  readonly count: number;
  readonly first: CountedEvent | null;
  readonly last: CountedEvent | null;
  /** The newest of those counted, newest first. */
  readonly events: readonly CountedEvent[];
  /** The measure as the text of a JSON number, null where no event has a value; undefined where nothing is measured. */
  readonly measured: string | null | undefined;
}

export interface SampleEvidence {
  readonly kind: 'sample';
  /** In percent: the user is in every sample by this seed that is larger. */
  readonly position: number;
}

export interface UsersEvidence {
  readonly kind: 'users';
}

export type Evidence = TraitEvidence | EventEvidence | SampleEvidence | UsersEvidence;

export interface ConditionState<E extends Evidence = Evidence> {
  readonly isMet: boolean;
  /** The instants after the evaluation at which the result changes, in order. */
  readonly flips: Iterator<Micros, void, undefined>;
  readonly evidence: E;
}

type EvidenceOf<K extends Condition['kind']> = Extract<Evidence, { readonly kind: K }>;

const CONDITION_STATES: {
  readonly [K in Condition['kind']]: (
    condition: ConditionOf<K>,
    known: EvaluationInput,
  ) => ConditionState<EvidenceOf<K>>;
} = { trait: traitState, event: eventState, sample: sampleState, users: listState };

export function conditionStateOf(condition: Condition, known: EvaluationInput): ConditionState {
  known.steps.of = condition;
  const state = CONDITION_STATES[condition.kind] as (condition: Condition, known: EvaluationInput) => ConditionState;
  return state(condition, known);
}

function traitState(condition: TraitCondition, known: EvaluationInput): ConditionState<TraitEvidence> {
  const { traits } = known;
  const trait = traits.get(condition.path[0] ?? '');
  const setBy = trait === undefined ? null : { ...trait.setAt, isDeleted: trait.isDeleted };
  const { passes, flips } = courseOfTrait(condition, trait, known);
  return {
    isMet: passes,
    flips: flips.values(),
    evidence: { kind: 'trait', value: conditionValue(condition, trait), setBy },
  };
}

function sampleState(
  { hundredths, seed }: SampleCondition,
  { userKey }: EvaluationInput,
): ConditionState<SampleEvidence> {
  const position = samplePosition(seed, userKey);
  const evidence = { kind: 'sample', position: position / 100 } as const;
  return { isMet: position < hundredths, flips: [].values(), evidence };
}

function listState(condition: UsersCondition, { projectId, userKey }: EvaluationInput): ConditionState<UsersEvidence> {
  return { isMet: listedKeys(projectId, condition).has(userKey), flips: [].values(), evidence: { kind: 'users' } };
}

function eventState(condition: EventCondition, known: EvaluationInput): ConditionState<EventEvidence> {
  const { events, eventsShown } = known;
  const window = windowOf(condition, events, known);
  const { count, first = null, last = null, isMet } = window;
  const measured = condition.measure ? window.measured : undefined;
  const evidence = { kind: 'event', count, first, last, events: window.newest(eventsShown), measured } as const;
  return { isMet, flips: window.flips(), evidence };
}
