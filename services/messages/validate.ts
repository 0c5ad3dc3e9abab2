/** Request bodies → drafts of messages, or everything that is wrong with them. */

import { problemsWith } from './body-schemas.ts';
import type { AddEventDraft, Draft, IdentifyDraft, ProjectUserDraft, TrackDraft } from './draft.ts';
import { type JsonBody, toJsonText } from './json.ts';
import type { JsonText, Micros, Problem } from './message.ts';
import { parseTimestamp } from './timestamp.ts';

/** A refusal names at most so many problems. */
export const MAX_PROBLEMS = 100;

export interface Refused {
  readonly ok: false;
  /** Never empty; paths from the body's root. */
  readonly problems: readonly Problem[];
}

export type Validated<T> = { readonly ok: true; readonly draft: T } | Refused;

/** Every item of a batch judged for itself, in the order sent. Refused: the envelope is wrong. */
export type ValidatedItems = { readonly ok: true; readonly items: readonly Validated<Draft>[] } | Refused;

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

/** What an item of a batch may be, by itself: a call that says its type. */
export function validateItem(item: JsonBody, timezone: string): Validated<Draft> {
  return itemAt('', item, timezone);
}

/** All of a batch, or the first 100 problems: it stops looking there. */
export function validateBatch(body: JsonBody, timezone: string): ValidatedBatch {
  const envelope = problemsWith('batch', body.plain, '');
  if (envelope.length > 0) return { ok: false, problems: envelope };
  const drafts: Draft[] = [];
  const problems: Problem[] = [];
  for (const [index, item] of itemsOf(body).entries()) {
    const validated = itemAt(`/batch/${index}`, item, timezone);
    if (validated.ok) drafts.push(validated.draft);
    else problems.push(...validated.problems);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems.length === 0 ? { ok: true, drafts } : { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Each item of a batch by itself, for a caller that would rather lose the bad ones. */
export function validateItems(body: JsonBody, timezone: string): ValidatedItems {
  const envelope = problemsWith('batch', body.plain, '');
  if (envelope.length > 0) return { ok: false, problems: envelope };
  const items = itemsOf(body).map((item, index) => itemAt(`/batch/${index}`, item, timezone));
  return { ok: true, items };
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

function itemsOf({ plain, exact }: JsonBody): JsonBody[] {
  const exactItems = (exact as { batch: unknown[] }).batch;
  return (plain as { batch: unknown[] }).batch.map((item, index) => ({ plain: item, exact: exactItems[index] }));
}

function itemAt(place: string, item: JsonBody, timezone: string): Validated<Draft> {
  const problems = problemsWith('batchItem', item.plain, place);
  if (problems.length > 0) return { ok: false, problems };
  const { type } = item.plain as { type: string };
  if (type === 'identify') return identifyAt(place, item, timezone);
  return type === 'track' ? trackAt(place, item, timezone) : sdkCallAt(place, item, timezone, type);
}

function identifyAt(place: string, { plain, exact }: JsonBody, timezone: string): Validated<IdentifyDraft> {
  const problems = problemsWith('identify', plain, place);
  const timestamp = timestampOf(plain, place, timezone, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = exact as IdentifyBody;
  const draft = { ...callOf(body), type: 'identify', timestamp, traits: toJsonText(body.traits ?? {}) } as const;
  return { ok: true, draft };
}

function trackAt(place: string, { plain, exact }: JsonBody, timezone: string): Validated<TrackDraft> {
  const problems = problemsWith('track', plain, place);
  const timestamp = timestampOf(plain, place, timezone, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = exact as EventBody & { readonly event: string };
  const properties = propertiesOf(body, ['context']);
  return { ok: true, draft: { ...callOf(body), type: 'track', timestamp, event: body.event, properties } };
}

/** Page, screen, group, alias: something tracked, named after its type. */
function sdkCallAt(place: string, item: JsonBody, timezone: string, event: string): Validated<TrackDraft> {
  const problems = problemsWith('sdkCall', item.plain, place);
  const timestamp = timestampOf(item.plain, place, timezone, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = item.exact as EventBody;
  const properties = propertiesOf(body, SDK_FIELDS);
  return { ok: true, draft: { ...callOf(body), type: 'track', timestamp, event, properties } };
}

/** Looked at even where the schema found something, so that a caller hears of everything at once. */
function timestampOf(plain: unknown, place: string, timezone: string, problems: Problem[]): Micros | null {
  const text = typeof plain === 'object' && plain !== null && 'timestamp' in plain ? plain.timestamp : undefined;
  if (typeof text !== 'string') return null;
  const parsed = parseTimestamp(text, timezone);
  if (parsed.ok) return parsed.micros;
  problems.push({ path: `${place}/timestamp`, message: parsed.message });
  return null;
}

function callOf(body: CallBody): Pick<Draft, 'userId' | 'anonymousId' | 'messageId'> {
  const userId = body.user_id ?? body.userId ?? null;
  return {
    userId,
    anonymousId: userId === null ? (body.anonymousId ?? null) : null,
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
