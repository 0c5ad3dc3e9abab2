import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros, parseTimestamp } from '../../messages/timestamp.ts';
import type { EventsQuery } from '../../stores/analytics/analytics-store.ts';
import type { Profile } from '../../stores/profiles/profile.ts';
import { CURSOR_REFUSED, decodeCursor } from '../cursor.ts';
import {
  type Checked,
  type QueryRequest,
  readIfGiven,
  readLimit,
  readName,
  refuseParameter,
  single,
} from '../query.ts';
import { pageBody, readPage } from './events.ts';
import { readNamedUser, readOtherId, userKeyIn } from './named-user.ts';
import { answerOf, namingParts, type UserStores } from './store-parts.ts';

/** `GET /v1/users/:user_id` */
export function answerProfile({ profiles }: UserStores, call: Call): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const user = readNamedUser(call);
    if (!user.ok) return user.refusal;
    const profile = await answerOf('profiles', profiles.find(call.project.id, user.value));
    return profile === undefined ? NOBODY : { status: 200, body: profileBody(profile) };
  });
}

/** `GET /v1/users/:user_id/events` */
export async function answerEvents(stores: UserStores, call: Call): Promise<Answer | Refusal> {
  const user = readNamedUser(call);
  return user.ok ? answerEventsOf(stores, call, user.value) : user.refusal;
}

/** `GET /v1/events?anonymous_id=` or `?internal_id=`: the events of the user known by that id. */
export async function answerOtherEvents(stores: UserStores, call: Call): Promise<Answer | Refusal> {
  const id = readOtherId(call.query);
  return id.ok ? answerEventsOf(stores, call, userKeyIn(call.project.id, id.value)) : id.refusal;
}

function answerEventsOf({ profiles, analytics }: UserStores, call: Call, userKey: string): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const asked = readEventsQuery(call);
    if (!asked.ok) return asked.refusal;
    const user = { projectId: call.project.id, userKey };
    const page = await answerOf('analytics', readPage(analytics, { ...user, ...asked.value }));
    // The sink may be ahead of the projector: a user is unknown only without events and without a profile.
    const isKnown = page.events.length > 0 || asked.value.after !== undefined;
    if (!isKnown && (await answerOf('profiles', profiles.find(user.projectId, user.userKey))) === undefined)
      return NOBODY;
    return { status: 200, body: pageBody(page) };
  });
}

export const NOBODY: Refusal = { refused: 'not-found', detail: 'No user of this project is known by this id.' };

/** Traits are JSON text already and go in untouched, every digit kept. */
export function profileBody(profile: Profile): string {
  const { userId, userKey, anonymous, anonymousIds, traits, firstSeen, lastSeen } = profile;
  const head = JSON.stringify({ user_id: userId, internal_id: userKey, anonymous, anonymous_ids: anonymousIds });
  const seen = JSON.stringify({ first_seen: formatMicros(firstSeen), last_seen: formatMicros(lastSeen) });
  return `${head.slice(0, -1)},"traits":${traits},${seen.slice(1)}`;
}

type EventsRequest = Omit<EventsQuery, 'projectId' | 'userKey'>;

function readEventsQuery({ query, project }: QueryRequest): Checked<EventsRequest> {
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit;
  const event = single(query, 'event', (text) => readIfGiven(text, (name) => readName('event', name)));
  if (!event.ok) return event;
  const range = readRange({ query, project });
  if (!range.ok) return range;
  const after = single(query, 'cursor', readCursor);
  if (!after.ok) return after;
  const named = event.value !== undefined && { event: event.value };
  return { ok: true, value: { limit: limit.value, ...named, ...range.value, ...after.value } };
}

/** From `since` (inclusive) to `until` (exclusive). */
function readRange({
  query,
  project,
}: Pick<QueryRequest, 'query' | 'project'>): Checked<Pick<EventsQuery, 'since' | 'until'>> {
  const since = single(query, 'since', (text) => readTimeParameter('since', text, project.timezone));
  if (!since.ok) return since;
  const until = single(query, 'until', (text) => readTimeParameter('until', text, project.timezone));
  if (!until.ok) return until;
  if (since.value !== undefined && until.value !== undefined && until.value <= since.value)
    return refuseParameter('until', 'is not later than since');
  const begun = since.value !== undefined && { since: since.value };
  return { ok: true, value: { ...begun, ...(until.value !== undefined && { until: until.value }) } };
}

function readTimeParameter(name: string, text: string | undefined, timezone: string): Checked<Micros | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  const read = parseTimestamp(text, timezone);
  return read.ok ? { ok: true, value: read.micros } : refuseParameter(name, read.message);
}

function readCursor(text: string | undefined): Checked<Pick<EventsRequest, 'after'>> {
  if (text === undefined) return { ok: true, value: {} };
  const after = decodeCursor(text);
  return after === undefined ? refuseParameter('cursor', CURSOR_REFUSED) : { ok: true, value: { after } };
}
