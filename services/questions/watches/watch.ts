/** Watches: a saved question, a rule, and who is told where the rule holds. Pure. */
import { parseBody } from '../../messages/json.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Lease } from '../../stores/database/leases.ts';
import { type Consulted, isJsonObject, Reading } from '../definition/reading.ts';
import { type EventFilter, type QuestionOrProblems, readEventFilter, readIfPresent } from '../events/read-question.ts';

const RULES = ['below', 'above', 'changed_by', 'none_for'] as const;

export interface WatchDefinition {
  /** Events that arrived, or their share of others in percent; the size of a saved audience; refused messages. */
  readonly question:
    | { readonly kind: 'events'; readonly of: EventFilter; readonly shareOf: EventFilter | null }
    | { readonly kind: 'audience'; readonly id: string; readonly name: string }
    | { readonly kind: 'refused' };
  readonly rule: { readonly kind: (typeof RULES)[number]; readonly bound: number; readonly minutes: number };
  /** Ids; null: the endpoints that take the type. */
  readonly endpoints: readonly string[] | null;
}

/** A number, and that of the same time a week ago where the rule compares. */
export interface Measured {
  readonly value: number;
  readonly before: number | null;
}

/** What is kept from one evaluation to the next. Each member is left out until it is known. */
export interface WatchState extends Partial<Measured> {
  readonly raisedAtMs?: number | null;
  /** Up to when it was judged. */
  readonly evaluatedAtMs?: number;
  /** When it was last known what arrives, and from when on that has been known without a gap. */
  readonly lookedAtMs?: number;
  readonly sinceMs?: number;
  /** How many messages of its day (UTC) had been refused at an instant; the first is as old as the rule asks. */
  readonly samples?: readonly (readonly [atMs: number, count: number])[] | undefined;
  /** What the installation wants. */
  readonly findings?: readonly Finding[];
}

/** As the status has it. */
export interface Concern {
  readonly code: string;
  readonly reason: string;
  readonly link: string;
  readonly project_id?: string | null;
  readonly object_id?: string;
}

export interface Finding extends Concern {
  readonly sinceMs: number;
  /** `new`: seen once. `gone`: told of, and not there when somebody looked once. */
  readonly state: 'new' | 'raised' | 'gone';
}

export interface Watch {
  readonly id: string;
  /** Null: what of the installation wants attention. */
  readonly projectId: string | null;
  readonly name: string;
  /** JSON. */
  readonly definition: string;
  readonly state: WatchState;
  readonly failure: string | null;
}

export interface WatchClaim extends Lease {
  readonly watch: Watch;
}

/** Something to tell endpoints. */
export interface WatchMessage {
  readonly type: 'watch.raised' | 'watch.ended' | 'attention.raised' | 'attention.ended';
  readonly projectId: string | null;
  readonly endpoints?: readonly string[] | null;
  readonly data: object;
}

type Body = Readonly<Record<string, unknown>>;

/** Reads a watch that is as its schema says: what no schema says of conditions and audiences is refused. */
export function readWatch(
  { question, rule, endpoints = null }: Body,
  timezone: string,
  consulted: Consulted,
): QuestionOrProblems<WatchDefinition> {
  const reading = new Reading(timezone, consulted);
  const about = reading.object(question, '/question');
  const read = about && readAbout(reading, about);
  const { problems } = reading;
  const [kind, ...others] = RULES.filter((name) => isJsonObject(rule) && Object.hasOwn(rule, name));
  if (kind === undefined || others.length > 0) reading.refuse('/rule', `needs one of ${RULES.join(', ')}`);
  if (!read || !isJsonObject(rule) || !kind || problems.length > 0) return { ok: false, problems };
  const [bound, over] = [rule[kind], rule['minutes'] ?? 60].map((n) => Number(JSON.isRawJSON(n) ? n.rawJSON : n));
  const minutes = kind === 'none_for' ? bound : over;
  return { ok: true, value: { question: read, rule: { kind, bound, minutes }, endpoints } as WatchDefinition };
}

/** @throws TidemarkError `AUDIENCE_UNKNOWN` where the audience is gone, or another that it refers to. */
export function readSavedWatch({ definition }: Watch, timezone: string, consulted: Consulted): WatchDefinition {
  const parsed = parseBody(definition);
  const read = parsed.ok ? readWatch(parsed.value.exact as Body, timezone, consulted) : parsed;
  if (read.ok) return read.value;
  const { path = '', message = '' } = read.problems[0] ?? {};
  throw new TidemarkError(path.includes('/audience') ? 'AUDIENCE_UNKNOWN' : 'STORE_REJECTED', `${path} ${message}`);
}

function readAbout(reading: Reading, about: Body): WatchDefinition['question'] | undefined {
  const { refused, audience: id } = about;
  if (refused === true) return { kind: 'refused' };
  if (typeof id === 'string') {
    const { name } = reading.audiences.get(id) ?? {};
    if (name === undefined) return reading.refuse('/question/audience', 'is no saved audience of the project');
    return { kind: 'audience', id, name };
  }
  const of = readEventFilter(reading, about, '/question');
  const shareOf = readIfPresent(about, 'share_of', null, (value) =>
    isJsonObject(value) ? readEventFilter(reading, value, '/question/share_of') : undefined,
  );
  return of && shareOf !== undefined ? { kind: 'events', of, shareOf } : undefined;
}

/** Whether the rule holds; undefined where that is not known. @param isWhole Whether all of the time is known. */
export function holds(
  { kind, bound }: WatchDefinition['rule'],
  { value, before }: Measured,
  isWhole: boolean,
): boolean | undefined {
  // What is known of a part is the least of the whole.
  if (kind === 'above' && value > bound) return true;
  if (!isWhole) return undefined;
  if (kind !== 'changed_by') return kind === 'below' ? value < bound : kind === 'none_for' && value === 0;
  return before === null || before === 0 ? undefined : (Math.abs(value - before) / before) * 100 >= bound;
}

/** The sentence of a message. */
export function sentenceOf(
  name: string,
  { question, rule }: WatchDefinition,
  found: Measured,
  isRaised: boolean,
): string {
  const { kind, bound, minutes } = rule;
  const isShare = question.kind === 'events' && question.shareOf !== null;
  const textOf = (n: number | null): string => `${Math.round((n ?? 0) * 100) / 100}${isShare ? ' %' : ''}`;
  const over = question.kind === 'audience' ? '' : ` in the last ${minutes} minutes`;
  const [subject, value] = [subjectOf(question), textOf(found.value)];
  const number = `${isShare ? `${subject}: ${value}` : `${value} ${subject}`}${over}`;
  if (!isRaised) return `${name} has ended: ${number}.`;
  if (kind === 'none_for') return `${name}: no ${subject} for ${minutes} minutes.`;
  const isWeekly = kind === 'changed_by';
  return `${name}: ${number}, ${isWeekly ? `${textOf(found.before)} at the same time a week ago` : `${kind} ${textOf(bound)}`}.`;
}

function subjectOf(question: WatchDefinition['question']): string {
  if (question.kind === 'audience') return `members of ${question.name}`;
  if (question.kind === 'refused') return 'refused messages';
  const [of, all] = [question.of, question.shareOf].map((one) => one?.events?.join(' or ') ?? 'events');
  return question.shareOf === null ? `${of}` : `${of} as a share of ${all}`;
}
