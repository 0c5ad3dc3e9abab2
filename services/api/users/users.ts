import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { EventsQuery } from '../../stores/analytics/analytics-store.ts';
import type { Erasure } from '../../stores/erasures/erasure.ts';
import type { Profile } from '../../stores/profiles/profile.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { CURSOR_REFUSED, decodeCursor } from '../../questions/events/cursor.ts';
import type { Input } from '../input.ts';
import { type Checked, given, readCursor, readRange, refuseParameter } from '../query.ts';
import { pageBody, readPage } from './events.ts';
import { type NamedUser, type UserIds, userKeyIn, userKeyOfPath } from './named-user.ts';
import { answerOf, namingParts, type UserStores } from './store-parts.ts';

/** `GET /v1/users/:user_id` */
export function answerProfile(
  { profiles, erasures }: UserStores,
  { project, key }: Call,
  input: NamedUser,
): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const user = userKeyOfPath(project, input);
    if (!user.ok) return user.refusal;
    const profile = await answerOf('profiles', profiles.find(project.id, user.value));
    if (profile !== undefined) return { status: 200, body: profileBody(profile) };
    // Nobody else is told whom the service knew.
    const looking = key?.scopes.includes('admin') === true ? erasures?.newestOf(project.id, user.value) : undefined;
    const erasure = looking && (await answerOf('profiles', looking));
    return erasure === undefined ? NOBODY : { refused: 'not-found', detail: forgottenText(erasure) };
  });
}

function forgottenText({ id, cut, suppress, requestedAt }: Erasure): string {
  const untilThen = suppress ? `until ${id} is lifted: tidemark forget lift ${id}` : `until ${id} is done`;
  const dropped = cut === null ? untilThen : `up to those received at ${formatMicros(cut)}`;
  return `This user was forgotten on ${formatMicros(requestedAt)}. Messages of it are dropped ${dropped}.`;
}

/** `GET /v1/users/:user_id/events` */
export async function answerEvents(
  stores: UserStores,
  { project }: Call,
  input: Input<'GET /v1/users/{user_id}/events'>,
): Promise<Answer | Refusal> {
  const user = userKeyOfPath(project, input);
  return user.ok ? answerEventsOf(stores, project, user.value, input.query) : user.refusal;
}

/** `GET /v1/events?anonymous_id=` or `?internal_id=`: the events of the user known by that id. */
export async function answerOtherEvents(
  stores: UserStores,
  { project }: Call,
  { query }: Input<'GET /v1/events'>,
): Promise<Answer | Refusal> {
  const userKey = userKeyIn(project.id, query);
  return userKey === undefined ? ONE_ID : answerEventsOf(stores, project, userKey, query);
}

const ONE_ID = refuseParameter('anonymous_id', 'or internal_id is needed, and only one of them').refusal;

type EventsFilter = Omit<Input<'GET /v1/events'>['query'], keyof UserIds>;

function answerEventsOf(
  { profiles, analytics }: UserStores,
  project: Project,
  userKey: string,
  filter: EventsFilter,
): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const asked = readEventsRequest(project, filter);
    if (!asked.ok) return asked.refusal;
    const user = { projectId: project.id, userKey };
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

/** Events from `since` (inclusive) to `until` (exclusive). */
function readEventsRequest({ timezone }: Project, filter: EventsFilter): Checked<EventsRequest> {
  const range = readRange(filter, timezone);
  if (!range.ok) return range;
  const { since, until } = range.value;
  if (since !== undefined && until !== undefined && until <= since)
    return refuseParameter('until', 'is not later than since');
  const after = readCursor(filter.cursor, decodeCursor, CURSOR_REFUSED);
  if (!after.ok) return after;
  const { limit, event } = filter;
  return { ok: true, value: { limit, ...range.value, ...given({ event, after: after.value }) } };
}
