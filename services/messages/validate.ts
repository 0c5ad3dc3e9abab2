/** Request bodies → drafts of messages, or everything that is wrong with them. */

import { type BodySchema, isValid, problemsWith } from './body-schemas.ts';
import type { AddEventDraft, Draft, IdentifyDraft, ProjectUserDraft, TrackDraft } from './draft.ts';
import { type JsonBody, toJsonText } from './json.ts';
import type { JsonText, Micros, Problem } from './message.ts';
import { correctedTime, fromSdk, isObject, isSdkCall, withContextTraits } from './sdk/sdk-call.ts';
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

/** What a call is judged by. */
export interface Frame {
  /** The project's, for a timestamp without an offset. */
  readonly timezone: string;
  /** When the call arrived: what an SDK's clock is held against. Null where that is not known. */
  readonly arrivedAt: Micros | null;
  /** The form of its body: the interface's own form has fewer types, and an SDK's has more times. */
  readonly form?: 'own' | 'sdk';
}

/**
 * @param timezone The project's, for a timestamp without an offset.
 * @param arrivedAt When the call arrived: what an SDK's clock is held against. Null where that is not known.
 */
export function validateIdentify(
  body: JsonBody,
  timezone: string,
  arrivedAt: Micros | null = null,
): Validated<IdentifyDraft> {
  return identifyAt('', tidied(body), { timezone, arrivedAt });
}

/** As of `validateIdentify`. */
export function validateTrack(
  body: JsonBody,
  timezone: string,
  arrivedAt: Micros | null = null,
): Validated<TrackDraft> {
  return trackAt('', tidied(body), { timezone, arrivedAt });
}

export type CallType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';

/**
 * What an item of a batch may be, by itself: a call that says its type.
 *
 * @param place The pointer to it; null where what is wrong need not be put into words.
 */
export function validateItem(item: JsonBody, frame: Frame, place: Place = ''): Validated<Draft> {
  return itemAt(place, tidied(item), frame);
}

/** A call as `fromSdk` gives it. @param type That of the request; null for an item of a batch, which says its own. */
export function validateTidied(call: JsonBody, type: CallType | null, frame: Frame, place: Place): Validated<Draft> {
  return type === null ? itemAt(place, call, frame) : callAt(place, call, frame, type);
}

/** What is wrong with a batch before any of its items. */
export function envelopeProblems(body: JsonBody): readonly Problem[] {
  return problemsWith('batch', body.plain, '');
}

/** All of a batch in the interface's own form, or the first 100 problems: it stops looking there. */
export function validateBatch(body: JsonBody, timezone: string, arrivedAt: Micros | null = null): ValidatedBatch {
  const envelope = envelopeProblems(body);
  if (envelope.length > 0) return { ok: false, problems: envelope };
  const frame: Frame = { timezone, arrivedAt, form: 'own' };
  const drafts: Draft[] = [];
  const problems: Problem[] = [];
  const items = itemsOf(body);
  for (let index = 0; index < items.length && problems.length < MAX_PROBLEMS; index++) {
    const validated = itemAt(`/batch/${index}`, items.at(index), frame);
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
  readonly context?: unknown;
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
export type Place = string | null;

const UNTOLD: Problem = { path: '', message: 'is not valid' };

function problemsAt(schema: BodySchema, value: unknown, place: Place): Problem[] {
  if (place !== null) return problemsWith(schema, value, place);
  return isValid(schema, value) ? [] : [UNTOLD];
}

function itemAt(place: Place, item: JsonBody, frame: Frame): Validated<Draft> {
  const problems = problemsAt(frame.form === 'own' ? 'ownBatchItem' : 'batchItem', item.plain, place);
  if (problems.length > 0) return { ok: false, problems };
  return callAt(place, item, frame, (item.plain as { type: CallType }).type);
}

function callAt(place: Place, call: JsonBody, frame: Frame, type: CallType): Validated<Draft> {
  if (type === 'identify') return identifyAt(place, call, frame);
  return type === 'track' ? trackAt(place, call, frame) : sdkCallAt(place, call, frame, type);
}

function identifyAt(place: Place, call: JsonBody, frame: Frame): Validated<IdentifyDraft> {
  const { plain, exact } = isSdkCall(call.plain) ? withContextTraits(call) : call;
  const problems = problemsAt('identify', plain, place);
  const times = timesOf(plain, place, frame, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = exact as IdentifyBody;
  const context = hasMembers(body.context) ? toJsonText(body.context) : null;
  const traits = toJsonText(body.traits ?? {});
  return { ok: true, draft: { ...callOf(body), ...times, type: 'identify', traits, context, adjusted: null } };
}

function trackAt(place: Place, { plain, exact }: JsonBody, frame: Frame): Validated<TrackDraft> {
  const problems = problemsAt('track', plain, place);
  const times = timesOf(plain, place, frame, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = exact as EventBody & { readonly event: string };
  const properties = propertiesOf(body, ['context']);
  return {
    ok: true,
    draft: { ...callOf(body), ...times, type: 'track', event: body.event, properties, adjusted: null },
  };
}

/** Page, screen, group, alias: something tracked, named after its type. */
function sdkCallAt(place: Place, item: JsonBody, frame: Frame, event: string): Validated<TrackDraft> {
  const problems = problemsAt('sdkCall', item.plain, place);
  const times = timesOf(item.plain, place, frame, problems);
  if (problems.length > 0) return { ok: false, problems };
  const body = item.exact as EventBody;
  const properties = propertiesOf(body, SDK_FIELDS);
  return { ok: true, draft: { ...callOf(body), ...times, type: 'track', event, properties, adjusted: null } };
}

/** An SDK's call as the interface takes it, any other as it is. */
function tidied(call: JsonBody): JsonBody {
  return isSdkCall(call.plain) ? fromSdk(call) : call;
}

type Times = Pick<Draft, 'timestamp' | 'originalTimestamp'>;

/** Looked at even where the schema found something, so that a caller hears of everything at once. */
function timesOf(plain: unknown, place: Place, frame: Frame, problems: Problem[]): Times {
  const given = isObject(plain) ? plain : {};
  if (typeof given['timestamp'] === 'string' || typeof given['originalTimestamp'] !== 'string') {
    return { timestamp: timeIn(given, 'timestamp', place, frame, problems), originalTimestamp: null };
  }
  const original = timeIn(given, 'originalTimestamp', place, frame, problems);
  const sentAt = timeIn(given, 'sentAt', place, frame, frame.form === 'sdk' ? problems : []);
  if (original === null || sentAt === null || frame.arrivedAt === null) {
    return { timestamp: original, originalTimestamp: null };
  }
  const timestamp = correctedTime(original, sentAt, frame.arrivedAt);
  return { timestamp, originalTimestamp: timestamp === original ? null : original };
}

function hasMembers(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function timeIn(
  call: Readonly<Record<string, unknown>>,
  name: string,
  place: Place,
  { timezone }: Frame,
  problems: Problem[],
): Micros | null {
  const text = call[name];
  if (typeof text !== 'string') return null;
  const parsed = parseTimestamp(text, timezone);
  if (parsed.ok) return parsed.micros;
  problems.push(place === null ? UNTOLD : { path: `${place}/${name}`, message: parsed.message });
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

/** The properties, and what an SDK says beside them. A property of the same name wins; the SDK's member goes to the context. */
function propertiesOf(body: EventBody, beside: readonly (typeof SDK_FIELDS)[number][]): JsonText {
  const properties = body.properties ?? {};
  const given = beside.filter((field) => (body[field] ?? null) !== null);
  if (given.length === 0) return toJsonText(properties);
  const displaced = given.filter((field) => Object.hasOwn(properties, field));
  const kept = given.filter((field) => !displaced.includes(field));
  const all = { ...properties, ...membersOf(body, kept) };
  return toJsonText(displaced.length === 0 ? all : { ...all, ...displacedTo(all, body, displaced) });
}

/** The context with what could not be kept under its own name; under `sdk_context` where `context` is another property. */
function displacedTo(
  properties: Readonly<Record<string, unknown>>,
  body: EventBody,
  displaced: readonly (typeof SDK_FIELDS)[number][],
): object {
  const context = isObject(body.context) ? body.context : {};
  const members = membersOf(
    body,
    displaced.filter((field) => field !== 'context' || !isObject(body.context)),
  );
  const { context: property } = properties;
  if (property !== undefined && !isObject(property)) return { sdk_context: { ...context, ...members } };
  return { context: { ...context, ...members, ...(displaced.includes('context') ? property : {}) } };
}

function membersOf(body: EventBody, fields: readonly (typeof SDK_FIELDS)[number][]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, body[field]]));
}
