/** Whether a user is in audiences now: `GET /v1/users/{user_id}/memberships`, and flags as OpenFeature asks for them (OFREP). */
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import { revalidated } from '../../http/etags.ts';
import type { Answer } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { SavedAudience } from '../../questions/saved/audience-store.ts';
import { type Input, readBody } from '../input.ts';
import { userKeyIn, userKeyOfPath } from '../users/named-user.ts';
import type { KnownAudiences } from './known-audiences.ts';
import type { MemberWatch, UserInAudiences } from './member-watch.ts';

export interface MembershipParts {
  readonly known: KnownAudiences;
  readonly members: MemberWatch;
}

export async function answerMemberships(
  parts: MembershipParts,
  call: Call,
  input: Input<'GET /v1/users/{user_id}/memberships'>,
): Promise<Answer | Refusal> {
  const named = userKeyOfPath(call.project, input);
  if (!named.ok) return named.refusal;
  const given = input.query.audiences?.split(',');
  const known = await parts.known(call.project.id, given);
  const names = given ?? [...new Set([...known.values()].map(({ id }) => id))];
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined)
    return { refused: 'not-found', detail: `There is no saved audience ${JSON.stringify(unknown)}.` };
  const audiences = names.flatMap((name) => known.get(name) ?? []);
  const user = { userKey: named.value, mayBeJoined: input.query.by !== 'user_id' };
  const memberOf = await lookUp(parts, call, user, audiences);
  const memberships = audiences.map((audience) => ({
    ...membershipHead(audience),
    is_member: isIn(audience, memberOf),
  }));
  return revalidated(call, { status: 200, body: JSON.stringify({ memberships }) });
}

/** `POST /ofrep/v1/evaluate/flags/{key}` */
export async function answerFlag(
  parts: MembershipParts,
  call: Call,
  { path: { key } }: Input<'POST /ofrep/v1/evaluate/flags/{key}'>,
): Promise<Answer | Refusal> {
  const user = targetedUser(call, 'POST /ofrep/v1/evaluate/flags/{key}', { key });
  if ('status' in user) return user;
  const audience = (await parts.known(call.project.id, [key])).get(key);
  if (audience === undefined) {
    const errorDetails = `There is no saved audience ${JSON.stringify(key)}.`;
    return { status: 404, body: JSON.stringify({ key, errorCode: 'FLAG_NOT_FOUND', errorDetails }) };
  }
  const memberOf = await lookUp(parts, call, user, [audience]);
  return { status: 200, body: JSON.stringify(flagOf(key, audience, memberOf)) };
}

/** `POST /ofrep/v1/evaluate/flags`: each audience by its name. */
export async function answerFlags(parts: MembershipParts, call: Call): Promise<Answer | Refusal> {
  const user = targetedUser(call, 'POST /ofrep/v1/evaluate/flags', {});
  if ('status' in user) return user;
  const known = await parts.known(call.project.id);
  const audiences = [...known].flatMap(([name, audience]) => (name === audience.name ? audience : []));
  const memberOf = await lookUp(parts, call, user, audiences);
  const flags = audiences.map((audience) => flagOf(audience.name, audience, memberOf));
  return revalidated(call, { status: 200, body: JSON.stringify({ flags }) });
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

async function lookUp(
  { members }: MembershipParts,
  { project, res: client }: Call,
  user: NamedUser,
  audiences: readonly SavedAudience[],
): Promise<ReadonlySet<string>> {
  const found = await members.wait({ project, ...user, audiences }, { waitMs: 0, client });
  if (found.status === 'rejected') throw found.reason;
  return found.value;
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
