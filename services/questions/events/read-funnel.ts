/** Reads the body of `POST /v1/funnels` (schemas/funnel.json), and says which audiences its answer counts. Pure. */
import { type Audience, type EventCondition, inSequence } from '../definition/audience.ts';
import { readNode } from '../definition/definition.ts';
import { readEvent } from '../definition/read-event.ts';
import {
  type QuestionOrProblems,
  type QuestionText,
  readIfPresent,
  readQuestion,
  readSplit,
  type Split,
} from './read-question.ts';

export interface FunnelQuestion {
  /** The first step, with those that follow: two to five. */
  readonly sequence: EventCondition;
  /** Only these users; null for all. */
  readonly users: Audience | null;
  readonly split: TraitSplit | null;
  /** By step. */
  readonly audiences: readonly StepAudiences[];
}

export type TraitSplit = Extract<Split, { readonly kind: 'property' | 'trait' }>;

/** Definitions, as JSON text with every digit. */
export interface StepAudiences {
  readonly reached: string;
  /** Users who reached the step and not the next one; null of the last. */
  readonly dropped: string | null;
}

type Node = Readonly<Record<string, unknown>>;

export function readFunnel(call: QuestionText): QuestionOrProblems<FunnelQuestion> {
  return readQuestion(call, call.project.timezone, (reading, body) => {
    reading.onlyKeys(body, ['sequence', 'users', 'split'], '');
    const node = reading.object(body['sequence'], '/sequence');
    if (node && !Object.hasOwn(node, 'followed_by')) reading.refuse('/sequence/followed_by', 'is missing');
    const sequence =
      node &&
      reading.countCondition('/sequence') &&
      readEvent(reading, node, '/sequence', ['event', 'where', 'within', 'followed_by']);
    const users = readIfPresent(body, 'users', null, (value) => readNode(reading, value, '/users', 1));
    const split = readIfPresent(body, 'split', null, (value) => readSplit(reading, value));
    if (!node || !sequence || users === undefined || split === undefined) return undefined;
    if (split !== null && split.kind !== 'trait') return reading.refuse('/split/trait', 'is missing');
    return { sequence, users, split, audiences: audiencesOf(node, inSequence(sequence).length, body['users']) };
  });
}

function audiencesOf(sequence: Node, size: number, users: unknown): readonly StepAudiences[] {
  const among = users === undefined ? [] : [users];
  const steps = Array.from({ length: size }, (_, index) => firstSteps(sequence, index));
  return steps.map((step, index) => ({
    reached: JSON.stringify(users === undefined ? step : { all: [users, step] }),
    dropped: index + 1 === size ? null : JSON.stringify({ all: [...among, step, { not: steps[index + 1] }] }),
  }));
}

/** The sequence up to this number of further steps. */
function firstSteps({ followed_by: next, ...step }: Node, further: number): Node {
  return further === 0 ? step : { ...step, followed_by: firstSteps(next as Node, further - 1) };
}
