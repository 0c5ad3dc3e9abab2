/** People who are to be forgotten: asked for, listed, and taken back. */
import type { Refusal } from '../../http/problems.ts';
import type { Answer, Route } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { ForgettingAnswer, ForgettingPlan, NamedPerson } from '../../operations/erasure/erasure-requests.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { SOME_EVENTS, EVERYBODY } from '../../stores/erasures/erased-users.ts';
import type { Erasure } from '../../stores/erasures/erasure.ts';
import { type How, type Input, route } from '../input.ts';
import { pageFrom, readCursor, refuseBody, refuseParameter } from '../query.ts';
import { NOBODY, type UserIds, userKeyIn, userKeyOfPath } from '../users/named-user.ts';
import { type AdminCall, notFound, principalOf, readMembers } from './answers.ts';

type ErasurePorts = Pick<AdminPorts, 'erasures'>;

export function erasureRoutes(ports: ErasurePorts, plain: How, withBody: How): Route[] {
  return [
    route('DELETE /v1/users/{user_id}', plain, (call, input) => answerForget(ports, call, input)),
    route('POST /v1/admin/erasures', withBody, (call) => answerErasures(ports, call)),
    route('GET /v1/admin/erasures', plain, (_, { query }) => answerErasureList(ports, query)),
    route('GET /v1/admin/erasures/{id}', plain, (_, { path }) => answerErasure(ports, path.id)),
    route('POST /v1/admin/erasures/{id}/lift', plain, (_, { path }) => answerLift(ports, path.id)),
  ];
}

interface WantedErasure {
  readonly project: string;
  readonly people: readonly NamedPerson[];
  readonly suppress: boolean;
  readonly dryRun: boolean;
}

/** `DELETE /v1/users/{user_id}` */
async function answerForget(
  ports: ErasurePorts,
  call: AdminCall,
  { path, query }: Input<'DELETE /v1/users/{user_id}'>,
): Promise<Answer | Refusal> {
  const { project, by, suppress, dry_run: dryRun } = query;
  if (!call.query.has('project')) return NO_PROJECT;
  const user = userKeyOfPath({ id: project }, { path, query: { by } });
  if (!user.ok) return user.refusal;
  const name = by === 'internal_id' ? null : path.user_id;
  const people = [{ userKey: user.value, name, isAnonymous: by === 'anonymous_id' }];
  const wanted = { project, people, suppress: suppress !== 'false', dryRun: dryRun === 'true' };
  const { answer, unknown } = await forget(ports, call, wanted, () => path.user_id);
  return unknown.length > 0 ? NOBODY : answer;
}

/** `POST /v1/admin/erasures` */
async function answerErasures(ports: ErasurePorts, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/erasures', call);
  if (!members.ok) return members.refusal;
  const { project, users, suppress = true, dry_run: dryRun = false } = members.value;
  const people = new Map<string, UserIds>();
  for (const [index, ids] of users.entries()) {
    const userKey = userKeyIn(project, ids);
    const isKey = ids.internal_id === undefined || isHex(ids.internal_id, 64);
    if (userKey === undefined || !isKey) return refuseBody([{ path: `/users/${index}`, message: ONE_ID }]).refusal;
    people.set(userKey, ids);
  }
  const given = [...people].map(([userKey, { user_id: userId, anonymous_id: anonymousId }]) => {
    return { userKey, name: userId ?? anonymousId ?? null, isAnonymous: anonymousId !== undefined };
  });
  const { answer } = await forget(ports, call, { project, people: given, suppress, dryRun }, (key) => people.get(key));
  return answer;
}

const NO_PROJECT = refuseParameter('project', 'is missing: it is the id of the project').refusal;

const ONE_ID = 'names exactly one of user_id, anonymous_id and internal_id, of 64 hexadecimal digits';

/** @param givenAs What was given for an internal id. */
async function forget(
  { erasures }: ErasurePorts,
  call: AdminCall,
  { project, people, suppress, dryRun }: WantedErasure,
  givenAs: (userKey: string) => unknown,
): Promise<{ readonly answer: Answer; readonly unknown: readonly string[] }> {
  if (dryRun) {
    const plan = await erasures.plan(project, people);
    return { answer: { status: 200, body: JSON.stringify(planJson(plan, givenAs)) }, unknown: plan.unknown };
  }
  const made = await erasures.request({ projectId: project, users: people, suppress, actor: principalOf(call) });
  const body = JSON.stringify(answerJson(made, givenAs));
  if (made.erasures.length === 0) return { answer: { status: 202, body }, unknown: made.unknown };
  // Without the anonymous ids that came with them.
  const own = made.erasures.filter(({ cameWith }) => cameWith === null);
  const object = own.length === 1 ? (own[0]?.id ?? '') : `${own.length} people`;
  const after = JSON.stringify({ erasures: made.erasures.map(({ id }) => id), suppress });
  return {
    answer: { status: 202, body, audit: { action: 'user.forget', object, project, after } },
    unknown: made.unknown,
  };
}

function answerJson({ erasures, shared, unknown }: ForgettingAnswer, givenAs: (userKey: string) => unknown) {
  return { erasures: erasures.map(erasureJson), shared_anonymous_ids: shared, unknown: unknown.map(givenAs) };
}

function planJson({ users, shared, unknown, ...rows }: ForgettingPlan, givenAs: (userKey: string) => unknown) {
  return { users: users.length, ...rows, shared_anonymous_ids: shared, unknown: unknown.map(givenAs) };
}

/** `GET /v1/admin/erasures` */
async function answerErasureList(
  { erasures }: ErasurePorts,
  { limit, cursor: text, project: projectId, state }: Input<'GET /v1/admin/erasures'>['query'],
): Promise<Answer | Refusal> {
  const cursor = readCursor(text, (id) => (ERASURE_ID.test(id) ? id : undefined));
  if (!cursor.ok) return cursor.refusal;
  const found = await erasures.list({ projectId, state }, limit + 1, cursor.value);
  const { items, next } = pageFrom(found, limit, ({ id }) => id);
  return { status: 200, body: JSON.stringify({ erasures: items.map(erasureJson), next_cursor: next }) };
}

const ERASURE_ID = /^erasure_[0-9a-z]{20}$/;

async function answerErasure({ erasures }: ErasurePorts, id: string): Promise<Answer | Refusal> {
  const found = await erasures.find(id);
  return found === undefined ? NO_ERASURE : { status: 200, body: JSON.stringify(erasureJson(found)) };
}

/** `POST /v1/admin/erasures/{id}/lift` */
async function answerLift({ erasures }: ErasurePorts, id: string): Promise<Answer | Refusal> {
  const before = await erasures.find(id);
  const lifted = before && (await erasures.lift(id));
  if (lifted === undefined) return NO_ERASURE;
  const body = JSON.stringify(erasureJson(lifted));
  if (before?.suppress !== true) return { status: 200, body };
  const change = { action: 'user.lift', object: id, project: lifted.projectId };
  return { status: 200, body, audit: { ...change, before: '{"suppress":true}', after: '{"suppress":false}' } };
}

const NO_ERASURE = notFound('There is no erasure of this id.');

export function erasureJson({ id, projectId, userKey, cameWith, keptApart, suppress, state, ...erasure }: Erasure) {
  const { actor, events, report } = erasure;
  const instant = (at: bigint | null): string | null => (at === null ? null : formatMicros(at));
  return {
    id,
    project: projectId,
    internal_id: userKey === EVERYBODY || userKey === SOME_EVENTS ? null : userKey,
    events: events === null ? null : (JSON.parse(events) as object),
    came_with: cameWith,
    kept_apart: keptApart,
    suppress,
    state,
    actor,
    requested_at: instant(erasure.requestedAt),
    due_at: instant(erasure.dueAt),
    cut: instant(erasure.cut),
    waits_because: erasure.waitsBecause,
    finished_at: instant(erasure.finishedAt),
    lifted_at: instant(erasure.liftedAt),
    report: report === null ? null : (JSON.parse(report) as object),
  };
}
