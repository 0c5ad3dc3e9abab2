import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import { formatMicros } from '../messages/timestamp.ts';
import { userKeyOf } from '../messages/user-key.ts';
import type { Profile } from '../stores/profiles/profile.ts';
import type { ProfileReader } from '../stores/profiles/profile-store.ts';
import { decodeCursor } from './cursor.ts';
import { pageBody, readPage } from './events.ts';
import { type Checked, readLimit, readName, refuseParameter, single } from './query.ts';

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
  return profile === undefined ? NOBODY : { status: 200, body: profileBody(userId.value, profile) };
}

/** `GET /v1/users/:user_id/events` */
export async function answerEvents({ profiles, analytics }: UserStores, call: Call): Promise<Answer | Refusal> {
  const userId = readName('user_id', call.params['user_id'] ?? '');
  if (!userId.ok) return userId.refusal;
  const asked = readEventsQuery(call.query);
  if (!asked.ok) return asked.refusal;
  const user = { projectId: call.project.id, userKey: userKeyOf(call.project.id, userId.value) };
  const page = await readPage(analytics, { ...user, ...asked.value });
  // The sink may be ahead of the projector: a user is unknown only without events and without a profile.
  const isKnown = page.events.length > 0 || asked.value.after !== undefined;
  if (!isKnown && (await profiles.find(user.projectId, user.userKey)) === undefined) return NOBODY;
  return { status: 200, body: pageBody(page) };
}

const NOBODY: Refusal = { refused: 'not-found', detail: 'No message of this project has named this user.' };

/** Traits are JSON text already and go in untouched, every digit kept. */
function profileBody(userId: string, { userKey, anonymous, traits, firstSeen, lastSeen }: Profile): string {
  const head = JSON.stringify({ user_id: userId, internal_id: userKey, anonymous });
  const seen = JSON.stringify({ first_seen: formatMicros(firstSeen), last_seen: formatMicros(lastSeen) });
  return `${head.slice(0, -1)},"traits":${traits},${seen.slice(1)}`;
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
