import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { anonymousKeyOf, userKeyOf } from '../../messages/user-key.ts';
import type { Profile } from '../../stores/profiles/profile.ts';
import type { ProfileReader } from '../../stores/profiles/profile-store.ts';
import { isHex } from '../../messages/hex.ts';
import { decodeCursor } from '../cursor.ts';
import { MAX_PAGE_CHARS, pageBody, readPage } from './events.ts';
import { type Checked, readIfGiven, readLimit, readName, refuseParameter, single } from '../query.ts';

/** The stores that answer requests about users. */
export interface UserStores {
  readonly profiles: ProfileReader;
  readonly analytics: AnalyticsReader;
}

/** `GET /v1/users/:user_id` */
export async function answerProfile({ profiles }: UserStores, call: Call): Promise<Answer | Refusal> {
  const userId = readName('user_id', call.params['user_id'] ?? '');
  if (!userId.ok) return userId.refusal;
  const profile = await profiles.find(call.project.id, userKeyOf(call.project.id, userId.value));
  return profile === undefined ? NOBODY : { status: 200, body: profileBody(profile) };
}

/**
 * `GET /v1/users?anonymous_id=` or `?internal_id=`: first the user known by that id alone, then the users beside whose
 * user id it was seen. A page of wide profiles holds fewer than its limit and has a cursor all the same.
 */
export async function answerUsers({ profiles }: UserStores, call: Call): Promise<Answer | Refusal> {
  const id = readOtherId(call.query);
  if (!id.ok) return id.refusal;
  const limit = single(call.query, 'limit', readLimit);
  if (!limit.ok) return limit.refusal;
  const after = single(call.query, 'cursor', readUsersCursor);
  if (!after.ok) return after.refusal;
  const projectId = call.project.id;
  const first = after.value === '' ? [userKeyIn(projectId, id.value)] : [];
  const { anonymousId } = id.value;
  // One more than the page holds tells whether there is another.
  const others =
    anonymousId === undefined ? [] : await profiles.seenWith(projectId, anonymousId, after.value, limit.value + 1);
  const bodies: string[] = [];
  let chars = 0;
  let last = after.value;
  for (const userKey of [...first, ...others]) {
    if (bodies.length === limit.value || chars >= MAX_PAGE_CHARS) return usersPage(bodies, last);
    const profile = await profiles.find(projectId, userKey);
    if (profile !== undefined) {
      const body = profileBody(profile);
      bodies.push(body);
      chars += body.length;
    }
    last = first.includes(userKey) ? FIRST_PASSED : userKey;
  }
  return usersPage(bodies, null);
}

/** Below every internal id: the cursor behind the user known by the id alone. */
const FIRST_PASSED = '0';

function usersPage(bodies: readonly string[], cursor: string | null): Answer {
  return { status: 200, body: `{"users":[${bodies.join(',')}],"next_cursor":${JSON.stringify(cursor)}}` };
}

/** `GET /v1/users/:user_id/events` */
export async function answerEvents(stores: UserStores, call: Call): Promise<Answer | Refusal> {
  const userId = readName('user_id', call.params['user_id'] ?? '');
  return userId.ok ? answerEventsOf(stores, call, userKeyOf(call.project.id, userId.value)) : userId.refusal;
}

/** `GET /v1/events?anonymous_id=` or `?internal_id=`: the events of the user known by that id. */
export async function answerOtherEvents(stores: UserStores, call: Call): Promise<Answer | Refusal> {
  const id = readOtherId(call.query);
  return id.ok ? answerEventsOf(stores, call, userKeyIn(call.project.id, id.value)) : id.refusal;
}

async function answerEventsOf(
  { profiles, analytics }: UserStores,
  call: Call,
  userKey: string,
): Promise<Answer | Refusal> {
  const asked = readEventsQuery(call.query);
  if (!asked.ok) return asked.refusal;
  const user = { projectId: call.project.id, userKey };
  const page = await readPage(analytics, { ...user, ...asked.value });
  // The sink may be ahead of the projector: a user is unknown only without events and without a profile.
  const isKnown = page.events.length > 0 || asked.value.after !== undefined;
  if (!isKnown && (await profiles.find(user.projectId, user.userKey)) === undefined) return NOBODY;
  return { status: 200, body: pageBody(page) };
}

export const NOBODY: Refusal = { refused: 'not-found', detail: 'No user of this project is known by this id.' };

/** Traits are JSON text already and go in untouched, every digit kept. */
function profileBody(profile: Profile): string {
  const { userId, userKey, anonymous, anonymousIds, traits, firstSeen, lastSeen } = profile;
  const head = JSON.stringify({ user_id: userId, internal_id: userKey, anonymous, anonymous_ids: anonymousIds });
  const seen = JSON.stringify({ first_seen: formatMicros(firstSeen), last_seen: formatMicros(lastSeen) });
  return `${head.slice(0, -1)},"traits":${traits},${seen.slice(1)}`;
}

interface OtherId {
  readonly anonymousId?: string;
  readonly internalId?: string;
}

/** The one of `anonymous_id` and `internal_id` that is given. */
function readOtherId(query: URLSearchParams): Checked<OtherId> {
  const anonymousId = single(query, 'anonymous_id', (text) => readIfGiven(text, (id) => readName('anonymous_id', id)));
  if (!anonymousId.ok) return anonymousId;
  const internalId = single(query, 'internal_id', (text) => readIfGiven(text, readInternalId));
  if (!internalId.ok) return internalId;
  if ((anonymousId.value === undefined) === (internalId.value === undefined))
    return refuseParameter('anonymous_id', 'or internal_id is needed, and only one of them');
  if (anonymousId.value !== undefined) return { ok: true, value: { anonymousId: anonymousId.value } };
  return { ok: true, value: { internalId: internalId.value ?? '' } };
}

function readInternalId(text: string): Checked<string> {
  return isHex(text, 64) ? { ok: true, value: text } : refuseParameter('internal_id', 'is not 64 hexadecimal digits');
}

function readUsersCursor(text: string | undefined): Checked<string> {
  if (text === undefined || text === FIRST_PASSED || isHex(text, 64)) return { ok: true, value: text ?? '' };
  return refuseParameter('cursor', 'was not given by this service');
}

function userKeyIn(projectId: string, { anonymousId, internalId }: OtherId): string {
  return internalId ?? anonymousKeyOf(projectId, anonymousId ?? '');
}

type EventsRequest = Pick<Parameters<AnalyticsReader['userEvents']>[0], 'event' | 'limit' | 'after'>;

function readEventsQuery(query: URLSearchParams): Checked<EventsRequest> {
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit;
  const event = single(query, 'event', readEvent);
  if (!event.ok) return event;
  const after = single(query, 'cursor', readCursor);
  if (!after.ok) return after;
  return { ok: true, value: { limit: limit.value, ...event.value, ...after.value } };
}

function readEvent(text: string | undefined): Checked<Pick<EventsRequest, 'event'>> {
  if (text === undefined) return { ok: true, value: {} };
  const event = readName('event', text);
  return event.ok ? { ok: true, value: { event: event.value } } : event;
}

function readCursor(text: string | undefined): Checked<Pick<EventsRequest, 'after'>> {
  if (text === undefined) return { ok: true, value: {} };
  const after = decodeCursor(text);
  return after === undefined
    ? refuseParameter('cursor', 'is none that this service gave')
    : { ok: true, value: { after } };
}
