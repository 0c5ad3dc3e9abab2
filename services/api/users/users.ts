import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { joinedBy } from '../../questions/one-user/person.ts';
import { budgetOf } from '../../questions/query-budget.ts';
import { findActivity } from '../../questions/users/user-activity.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Erasure } from '../../stores/erasures/erasure.ts';
import type { Profile } from '../../stores/profiles/profile.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { CURSOR_REFUSED, decodeCursor } from '../../questions/events/cursor.ts';
import type { Input } from '../input.ts';
import { contextOf, given, readCursor, readRange, refuseParameter } from '../query.ts';
import { pageBody, readPage } from './events.ts';
import { answerIfKnown, type NamedUser, NOBODY, personNamed, type UserIds, userKeyIn } from './named-user.ts';
import type { UserStores } from './store-parts.ts';

/** `GET /v1/users/:user_id` */
export async function answerProfile(
  stores: UserStores,
  { project, key }: Call,
  userKey: string,
  input: NamedUser,
): Promise<Answer | Refusal> {
  const profile = await profileNamed(stores, project, input, userKey);
  if (profile !== undefined)
    return { status: 200, body: profileBody(profile, await joiningMessages(stores, project, profile)) };
  // Nobody else is told whom the service knew.
  const mayKnow = key?.scopes.includes('admin') === true;
  const erasure = mayKnow ? await stores.erasures?.newestOf(project.id, userKey) : undefined;
  return erasure === undefined ? NOBODY : { refused: 'not-found', detail: forgottenText(erasure) };
}

/** An anonymous id that was only ever sent beside a user id has no profile of its own, and is that user's. */
async function profileNamed(
  { profiles }: Pick<UserStores, 'profiles'>,
  { id: projectId, joinIds }: Project,
  { path, query }: NamedUser,
  userKey: string,
): Promise<Profile | undefined> {
  const found = await profiles.find(projectId, userKey);
  if (found !== undefined || !joinIds || query.by !== 'anonymous_id') return found;
  const [owner, other] = await profiles.seenWith(projectId, path.user_id, '', 2);
  return owner === undefined || other !== undefined ? undefined : profiles.find(projectId, owner);
}

/** By anonymous id the messages that joined them. A profile is answered without them where analytics cannot be reached. */
async function joiningMessages(
  parts: UserStores,
  project: Project,
  { userKey, joinedIds }: Profile,
): Promise<ReadonlyMap<string, string>> {
  if (joinedIds === null || joinedIds.length === 0) return new Map();
  try {
    return await joinedBy(budgetOf(parts, project), project.id, userKey, joinedIds);
  } catch (error) {
    if (error instanceof TidemarkError) return new Map();
    throw error;
  }
}

function forgottenText({ id, cut, suppress, requestedAt }: Erasure): string {
  const untilThen = suppress ? `until ${id} is lifted: tidemark forget lift ${id}` : `until ${id} is done`;
  const dropped = cut === null ? untilThen : `up to those received at ${formatMicros(cut)}`;
  return `This user was forgotten on ${formatMicros(requestedAt)}. Messages of it are dropped ${dropped}.`;
}

/** `GET /v1/events?anonymous_id=` or `?internal_id=`: the events of the user known by that id. */
export async function answerOtherEvents(
  stores: UserStores,
  call: Call,
  { query }: Input<'GET /v1/events'>,
): Promise<Answer | Refusal> {
  const userKey = userKeyIn(call.project.id, query);
  return userKey === undefined ? ONE_ID : answerEvents(stores, call, userKey, { query });
}

const ONE_ID = refuseParameter('anonymous_id', 'or internal_id is needed, and only one of them').refusal;

type EventsFilter = Omit<Input<'GET /v1/events'>['query'], keyof UserIds>;

/** `GET /v1/users/:user_id/events`: from `since` (inclusive) to `until` (exclusive). */
export async function answerEvents(
  stores: UserStores,
  { project }: Call,
  userKey: string,
  { query }: { readonly query: EventsFilter },
): Promise<Answer | Refusal> {
  const range = readRange(query, project.timezone);
  if (!range.ok) return range.refusal;
  const { since, until } = range.value;
  if (since !== undefined && until !== undefined && until <= since) return NO_RANGE;
  const after = readCursor(query.cursor, decodeCursor, CURSOR_REFUSED);
  if (!after.ok) return after.refusal;
  const user = await personNamed(stores, project, userKey);
  const { limit, event } = query;
  const wanted = { ...user, limit, ...range.value, ...given({ event, after: after.value }) };
  const page = await readPage(stores.analytics, wanted);
  return answerIfKnown(stores, user, page.events.length > 0 || after.value !== undefined, pageBody(page));
}

const NO_RANGE = refuseParameter('until', 'is not later than since').refusal;

/** `GET /v1/users/:user_id/activity`: how much a user did. */
export async function answerActivity(
  stores: UserStores,
  { project }: Call,
  userKey: string,
  { query: { days } }: Input<'GET /v1/users/{user_id}/activity'>,
): Promise<Answer | Refusal> {
  const person = await personNamed(stores, project, userKey);
  const question = { ...contextOf(project), ...person, days, timezone: project.timezone };
  const activity = await findActivity(budgetOf(stores, project), question);
  return answerIfKnown(stores, person, activity.events > 0, JSON.stringify(activity));
}

/**
 * Traits are JSON text already and go in untouched, every digit kept.
 *
 * @param joinedBy By anonymous id the messages that joined them, as far as they are known.
 */
export function profileBody(profile: Profile, joinedBy: ReadonlyMap<string, string> = new Map()): string {
  const { userId, userKey, anonymous, anonymousIds, traits, firstSeen, lastSeen, joinedIds } = profile;
  const head = JSON.stringify({ user_id: userId, internal_id: userKey, anonymous, anonymous_ids: anonymousIds });
  const seen = JSON.stringify({ first_seen: formatMicros(firstSeen), last_seen: formatMicros(lastSeen) });
  const body = `${head.slice(0, -1)},"traits":${traits},${seen.slice(1)}`;
  if (joinedIds === null) return body;
  const joined = joinedIds.map(({ anonymousId, userKey: key, since }) => ({
    anonymous_id: anonymousId,
    internal_id: key,
    since: since && formatMicros(since),
    message_id: joinedBy.get(anonymousId) ?? null,
  }));
  return `${body.slice(0, -1)},"joined_ids":${JSON.stringify(joined)}}`;
}
