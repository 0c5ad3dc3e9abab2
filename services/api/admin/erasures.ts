/** People who are to be forgotten: asked for, listed, and taken back. */
import { SELECTION_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Answer, Route } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { ForgettingAnswer, ForgettingPlan, NamedPerson } from '../../operations/erasure/erasure-requests.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { SOME_EVENTS, EVERYBODY } from '../../stores/erasures/erased-users.ts';
import type { Erasure } from '../../stores/erasures/erasure.ts';
import { route } from '../input.ts';
import { pageFrom, readCursor, refuseBody, refuseParameter } from '../query.ts';
import { NOBODY, type UserIds, userKeyIn, userKeyOfPath } from '../users/named-user.ts';
import { ADMIN, type AdminCall, notFound, principalOf, routeWithBody } from './answers.ts';

type ErasurePorts = Pick<AdminPorts, 'erasures'>;

export function erasureRoutes({ erasures }: ErasurePorts): Route[] {
  const selection = { ...ADMIN, bodyLimitBytes: SELECTION_LIMIT_BYTES };
  return [
    route('DELETE /v1/users/{user_id}', ADMIN, async (call, { path, query }) => {
      const { project, by, suppress, dry_run: dryRun } = query;
      if (!call.query.has('project')) return NO_PROJECT;
      const user = userKeyOfPath({ id: project }, { path, query: { by } });
      if (!user.ok) return user.refusal;
      const name = by === 'internal_id' ? null : path.user_id;
      const people = [{ userKey: user.value, name, isAnonymous: by === 'anonymous_id' }];
      const wanted = { project, people, suppress: suppress !== 'false', dryRun: dryRun === 'true' };
      const { answer, unknown } = await forget(erasures, call, wanted, () => path.user_id);
      return unknown.length > 0 ? NOBODY : answer;
    }),
    routeWithBody('POST /v1/admin/erasures', selection, async (call, body) => {
      const { project, users, suppress = true, dry_run: dryRun = false } = body;
      const given = new Map<string, UserIds>();
      for (const [index, ids] of users.entries()) {
        const userKey = userKeyIn(project, ids);
        const isKey = ids.internal_id === undefined || isHex(ids.internal_id, 64);
        if (userKey === undefined || !isKey) return refuseBody([{ path: `/users/${index}`, message: ONE_ID }]).refusal;
        given.set(userKey, ids);
      }
      const people = [...given].map(([userKey, { user_id: userId, anonymous_id: anonymousId }]) => {
        return { userKey, name: userId ?? anonymousId ?? null, isAnonymous: anonymousId !== undefined };
      });
      return (await forget(erasures, call, { project, people, suppress, dryRun }, (key) => given.get(key))).answer;
    }),
    ...keptErasureRoutes({ erasures }),
  ];
}

function keptErasureRoutes({ erasures }: ErasurePorts): Route[] {
  return [
    route('GET /v1/admin/erasures', ADMIN, async (_, { query: { limit, cursor: text, project: projectId, state } }) => {
      const cursor = readCursor(text, (id) => (ERASURE_ID.test(id) ? id : undefined));
      if (!cursor.ok) return cursor.refusal;
      const found = await erasures.list({ projectId, state }, limit + 1, cursor.value);
      const { items, next } = pageFrom(found, limit, ({ id }) => id);
      return { status: 200, body: JSON.stringify({ erasures: items.map(erasureJson), next_cursor: next }) };
    }),
    route('GET /v1/admin/erasures/{id}', ADMIN, async (_, { path }) => {
      const found = await erasures.find(path.id);
      return found === undefined ? NO_ERASURE : { status: 200, body: JSON.stringify(erasureJson(found)) };
    }),
    route('POST /v1/admin/erasures/{id}/lift', ADMIN, async (_, { path: { id } }) => {
      const before = await erasures.find(id);
      const lifted = before && (await erasures.lift(id));
      if (lifted === undefined) return NO_ERASURE;
      const body = JSON.stringify(erasureJson(lifted));
      if (before?.suppress !== true) return { status: 200, body };
      const change = { action: 'user.lift', object: id, project: lifted.projectId };
      return { status: 200, body, audit: { ...change, before: '{"suppress":true}', after: '{"suppress":false}' } };
    }),
  ];
}

interface WantedErasure {
  readonly project: string;
  readonly people: readonly NamedPerson[];
  readonly suppress: boolean;
  readonly dryRun: boolean;
}

const NO_PROJECT = refuseParameter('project', 'is missing: it is the id of the project').refusal;

const ONE_ID = 'names exactly one of user_id, anonymous_id and internal_id, of 64 hexadecimal digits';

/** @param givenAs What was given for an internal id. */
async function forget(
  erasures: AdminPorts['erasures'],
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

const ERASURE_ID = /^erasure_[0-9a-z]{20}$/;

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
