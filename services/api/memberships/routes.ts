/** Whether a user is in audiences now: memberships, and flags as OpenFeature asks for them (OFREP). */
import { BODY_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Call } from '../../http/call.ts';
import { revalidated } from '../../http/etags.ts';
import type { Answer, Route } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { SavedAudience } from '../../questions/saved/audience-store.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import { readBody, route } from '../input.ts';
import { limitedTo, READ, refusePages } from '../route-parts.ts';
import { userKeyIn, userKeyOfPath } from '../users/named-user.ts';
import { knownAudiences } from './known-audiences.ts';
import { MemberWatch, type UserInAudiences } from './member-watch.ts';

/** Those that wait are in one statement: it bounds that too. */
const OPEN_LOOK_UPS = 1_000;

export interface MembershipRouteParts {
  readonly saved: Pick<SqlAudienceStore, 'list'>;
  readonly analytics: Pick<AnalyticsReader, 'ask' | 'askHistory'>;
}

export function membershipRoutes({ saved, analytics }: MembershipRouteParts): Route[] {
  const [known, members] = [knownAudiences(saved), new MemberWatch(analytics)];
  const get = { ...READ, scope: 'flags', admit: ADMIT, ...limitedTo(OPEN_LOOK_UPS) } as const;
  const post = { ...get, bodyLimitBytes: BODY_LIMIT_BYTES };
  return [
    route('GET /v1/users/{user_id}/memberships', get, async (call, input) => {
      const { project } = call;
      const named = userKeyOfPath(project, input);
      if (!named.ok) return named.refusal;
      const given = input.query.audiences?.split(',');
      const byName = await known(project.id, given);
      const names = given ?? [...new Set([...byName.values()].map(({ id }) => id))];
      const unknown = names.find((name) => !byName.has(name));
      if (unknown !== undefined) return { refused: 'not-found', detail: noAudience(unknown) };
      const audiences = names.flatMap((name) => byName.get(name) ?? []);
      const user = { userKey: named.value, mayBeJoined: input.query.by !== 'user_id' };
      const memberOf = await members.find({ project, ...user, audiences }, call.res);
      const memberships = audiences.map((one) => ({ ...membershipHead(one), is_member: isIn(one, memberOf) }));
      return revalidated(call, { status: 200, body: JSON.stringify({ memberships }) });
    }),
    route('POST /ofrep/v1/evaluate/flags/{key}', post, async (call, { path: { key } }) => {
      const { project } = call;
      const user = targetedUser(call, 'POST /ofrep/v1/evaluate/flags/{key}', { key });
      if ('status' in user) return user;
      const audience = (await known(project.id, [key])).get(key);
      if (audience === undefined) {
        const body = JSON.stringify({ key, errorCode: 'FLAG_NOT_FOUND', errorDetails: noAudience(key) });
        return { status: 404, body };
      }
      const memberOf = await members.find({ project, ...user, audiences: [audience] }, call.res);
      return { status: 200, body: JSON.stringify(flagOf(key, audience, memberOf)) };
    }),
    // Each audience by its name.
    route('POST /ofrep/v1/evaluate/flags', post, async (call) => {
      const { project } = call;
      const user = targetedUser(call, 'POST /ofrep/v1/evaluate/flags', {});
      if ('status' in user) return user;
      const byName = await known(project.id);
      const audiences = [...byName].flatMap(([name, audience]) => (name === audience.name ? audience : []));
      const memberOf = await members.find({ project, ...user, audiences }, call.res);
      const flags = audiences.map((audience) => flagOf(audience.name, audience, memberOf));
      return revalidated(call, { status: 200, body: JSON.stringify({ flags }) });
    }),
  ];
}

// What a page has, everybody has who opens it: a key that can list people must not be there.
const ADMIT = refusePages(
  'A page may ask this with a key of the scope flags only.',
  ({ key }: Call) => key?.scopes.every((scope) => scope === 'flags' || scope === 'write') === true,
);

function noAudience(name: string): string {
  return `There is no saved audience ${JSON.stringify(name)}.`;
}

type NamedUser = Pick<UserInAudiences, 'userKey' | 'mayBeJoined'>;

/** Or the answer to a request that names nobody. */
function targetedUser(
  call: Call,
  name: 'POST /ofrep/v1/evaluate/flags' | 'POST /ofrep/v1/evaluate/flags/{key}',
  named: { readonly key?: string },
): NamedUser | Answer {
  const read = readBody(name, call);
  if (!read.ok) {
    const { errors = [], detail: errorDetails } = read.refusal;
    return { status: 400, body: JSON.stringify({ ...named, errorCode: codeOf(errors), errorDetails, errors }) };
  }
  const { targetingKey, by = 'user_id' } = read.value.body.context;
  return { userKey: userKeyIn(call.project.id, { [by]: targetingKey }) ?? '', mayBeJoined: by !== 'user_id' };
}

/** The error code of OpenFeature. */
function codeOf(errors: readonly Problem[]): string {
  if (errors.some(({ path }) => path === '')) return 'PARSE_ERROR';
  return errors.some(({ path }) => path.startsWith('/context/targetingKey'))
    ? 'TARGETING_KEY_MISSING'
    : 'INVALID_CONTEXT';
}

/** Null where that is not known yet: it was never evaluated, and is not followed. */
function isIn({ id, evaluation, liveThrough }: SavedAudience, memberOf: ReadonlySet<string>): boolean | null {
  return evaluation === null && liveThrough === null ? null : memberOf.has(id);
}

/** A live audience is as of now, so that its answer stays the same while nothing changes. */
function membershipHead({ id, name, isFollowed, evaluation }: SavedAudience) {
  const at = isFollowed || evaluation === null ? null : formatMicros(evaluation.at);
  return { id, name, is_live: isFollowed, evaluated_at: at };
}

/** The evaluation of a flag: a variant and a reason by the rules of OpenFeature. */
function flagOf(key: string, audience: SavedAudience, memberOf: ReadonlySet<string>): object {
  const value = isIn(audience, memberOf);
  const { id, is_live: isLive, evaluated_at: at } = membershipHead(audience);
  const metadata = { audience_id: id, is_live: isLive, ...(at !== null && { evaluated_at: at }) };
  const reasons = { true: 'TARGETING_MATCH', false: 'DEFAULT', null: 'UNKNOWN' } as const;
  return { key, value: value === true, variant: value === true ? 'in' : 'out', reason: reasons[`${value}`], metadata };
}
