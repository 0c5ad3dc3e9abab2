/** Request bodies → drafts of messages, or everything that is wrong with them. */

import { type BodySchema, isValid, problemsWith } from './body-schemas.ts';
import type { AddEventDraft, Draft, IdentifyDraft, ProjectUserDraft, TrackDraft } from './draft.ts';
import { type JsonBody, toJsonText } from './json.ts';
import type { JsonText, Micros, Problem } from './message.ts';
import { parseTimestamp } from './timestamp.ts';
import { MAX_PROBLEMS } from './unacceptable.ts';

export interface Refused {
  readonly ok: false;
  /** Never empty; paths from the body's root. */
  readonly problems: readonly Problem[];
}

export type Validated<T> = { readonly ok: true; readonly draft: T } | Refused;

/** A batch judged as one. */
export type ValidatedBatch = { readonly ok: true; readonly drafts: readonly Draft[] } | Refused;

/** `timezone` is the project's, for a timestamp without an offset. */
export function validateIdentify(body: JsonBody, timezone: string): Validated<IdentifyDraft> {
  return identifyAt('', body, timezone);
}

/** `timezone` is the project's, for a timestamp without an offset. */
export function validateTrack(body: JsonBody, timezone: string): Validated<TrackDraft> {
  return trackAt('', body, timezone);
}

/** What an item of a batch may be, by itself: a call that says its type. `place` is the pointer to it. */
export function validateItem(item: JsonBody, timezone: string, place = ''): Validated<Draft> {
  return itemAt(place, item, timezone);
}

/** Whether it is one, for a caller who has been told enough: what is wrong is not put into words. */
export function validItem(item: JsonBody, timezone: string): Draft | undefined {
  const validated = itemAt(null, item, timezone);
  return validated.ok ? validated.draft : undefined;
}

/** What is wrong with a batch before any of its items. */
export function envelopeProblems(body: JsonBody): readonly Problem[] {
  return problemsWith('batch', body.plain, '');
}

/** All of a batch, or the first 100 problems: it stops looking there. */
export function validateBatch(body: JsonBody, timezone: string): ValidatedBatch {
  const envelope = envelopeProblems(body);
  if (envelope.length > 0) return { ok: false, problems: envelope };
  const drafts: Draft[] = [];
  const problems: Problem[] = [];
  const items = itemsOf(body);
  for (let index = 0; index < items.length && problems.length < MAX_PROBLEMS; index++) {
    const validated = itemAt(`/batch/${index}`, items.at(index), timezone);
    if (!validated.ok) problems.push(...validated.problems);
    else if (problems.length === 0) drafts.push(validated.draft);
  }
  return problems.length === 0 ? { ok: true, drafts } : { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** The items of a batch whose envelope is right; none is looked at before it is taken. */
export function itemsOf(body: JsonBody): { readonly length: number; at(index: number): JsonBody } {
  const { batch: plain } = body.plain as { batch: readonly unknown[] };
  const { batch: exact } = body.exact as { batch: readonly unknown[] };
  return { length: plain.length, at: (index) => ({ plain: plain[index], exact: exact[index] }) };
}

export function validateProjectUser(body: JsonBody): Validated<ProjectUserDraft> {
  const problems = problemsWith('projectUser', body.plain, '');
  if (problems.length > 0) return { ok: false, problems };
  const { user_id, anonymous, custom_parameters, message_id } = body.exact as ProjectUserBody;
  const draft = {
    userId: user_id,
    anonymous,
    traits: toJsonText(custom_parameters ?? {}),
    messageId: message_id ?? null,
  };
  return { ok: true, draft };
}

export function validateAddEvent(body: JsonBody): Validated<AddEventDraft> {
  const problems = problemsWith('addEvent', body.plain, '');
  if (problems.length > 0) return { ok: false, problems };
  const { user_id, session_id, event, message_id } = body.exact as AddEventBody;
  const draft = {
    userKey: user_id,
    sessionId: session_id,
    event: event.name,
    properties: toJsonText(event.parameters ?? {}),
    messageId: message_id ?? null,
  };
  return { ok: true, draft };
}

/** What the schemas leave of a body, as far as we look at it. */
interface CallBody {
  readonly user_id?: string;
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
  readonly timestamp?: string;
  readonly message_id?: string;
  readonly messageId?: string;
}

interface IdentifyBody extends CallBody {
  readonly traits?: object;
}

interface EventBody extends CallBody, Partial<Record<(typeof SDK_FIELDS)[number], unknown>> {
  readonly event?: string;
  readonly properties?: object;
}

interface ProjectUserBody {
  readonly user_id: string;
  readonly anonymous: boolean;
  readonly custom_parameters?: object;
  readonly message_id?: string;
}

interface AddEventBody {
  readonly user_id: string;
  readonly session_id: string;
  readonly event: { readonly name: string; readonly parameters?: object };
  readonly message_id?: string;
}

/** What SDKs say beside the properties, kept under them. */
const SDK_FIELDS = ['context', 'name', 'category', 'groupId', 'previousId', 'traits'] as const;

/** Where what is judged stands in the body, as a pointer; null where problems need not be told. */
type Place = string | null;

const UNTOLD: Problem = { path: '', message: 'is not valid' };

function problemsAt(schema: BodySchema, value: unknown, place: Place): Problem[] {
  if (place !== null) return problemsWith(schema, value, place);
  return isValid(schema, value) ? [] : [UNTOLD];
}

function itemAt(place: Place, item: JsonBody, timezone: string): Validated<Draft> {
  const problems = problemsAt('batchItem', item.plain, place);
  if (problems.length > 0) return { ok: false, problems };
  const { type } = item.plain as { type: string };
  if (type === 'identify') return identifyAt(place, item, timezone);
  return type === 'track' ? trackAt(place, item, timezone) : sdkCallAt(place, item, timezone, type);
}

function identifyAt(place: Place, { plain, exact }: JsonBody, timezone: string): Validated<IdentifyDraft> {
  const problems = problemsAt('identify', plain, place);
  const timestamp = timestampOf(plain, place, timezone, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = exact as IdentifyBody;
  const draft = { ...callOf(body), type: 'identify', timestamp, traits: toJsonText(body.traits ?? {}) } as const;
  return { ok: true, draft };
}

function trackAt(place: Place, { plain, exact }: JsonBody, timezone: string): Validated<TrackDraft> {
  const problems = problemsAt('track', plain, place);
  const timestamp = timestampOf(plain, place, timezone, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = exact as EventBody & { readonly event: string };
  const properties = propertiesOf(body, ['context']);
  return { ok: true, draft: { ...callOf(body), type: 'track', timestamp, event: body.event, properties } };
}

/** Page, screen, group, alias: something tracked, named after its type. */
function sdkCallAt(place: Place, item: JsonBody, timezone: string, event: string): Validated<TrackDraft> {
  const problems = problemsAt('sdkCall', item.plain, place);
  const timestamp = timestampOf(item.plain, place, timezone, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = item.exact as EventBody;
  const properties = propertiesOf(body, SDK_FIELDS);
  return { ok: true, draft: { ...callOf(body), type: 'track', timestamp, event, properties } };
}

/** Looked at even where the schema found something, so that a caller hears of everything at once. */
function timestampOf(plain: unknown, place: Place, timezone: string, problems: Problem[]): Micros | null {
  const text = typeof plain === 'object' && plain !== null && 'timestamp' in plain ? plain.timestamp : undefined;
  if (typeof text !== 'string') return null;
  const parsed = parseTimestamp(text, timezone);
  if (parsed.ok) return parsed.micros;
  problems.push(place === null ? UNTOLD : { path: `${place}/timestamp`, message: parsed.message });
  return null;
}

function callOf(body: CallBody): Pick<Draft, 'userId' | 'anonymousId' | 'messageId'> {
  const userId = body.user_id ?? body.userId ?? null;
  return {
    userId,
    anonymousId: body.anonymousId ?? null,
    messageId: body.message_id ?? body.messageId ?? null,
  };
}

/** The properties, and what an SDK says beside them where no property has that name and it says something. */
function propertiesOf(body: EventBody, beside: readonly (typeof SDK_FIELDS)[number][]): JsonText {
  const properties = body.properties ?? {};
  const said = beside.filter((field) => (body[field] ?? null) !== null && !Object.hasOwn(properties, field));
  if (said.length === 0) return toJsonText(properties);
  return toJsonText({ ...properties, ...Object.fromEntries(said.map((field) => [field, body[field]])) });
}
