/** Whose anonymous ids are, and what operators decide about them. */
import type { Route } from '../../http/route.ts';
import { isPlaceholder } from '../../messages/sdk/sightings.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { anonymousKeyOf, userKeyOf } from '../../messages/user-key.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import type { ProfileReader, SightedId } from '../../stores/profiles/profile-reader.ts';
import type { JoinDecision } from '../../stores/profiles/sql-join-decisions.ts';
import { findProject } from '../../stores/projects/project-commands.ts';
import { route } from '../input.ts';
import { refuseBody } from '../query.ts';
import { ADMIN, ADMIN_BODY, principalOf, routeWithBody } from './answers.ts';

export interface JoinParts extends Pick<AdminPorts, 'projects' | 'joins'> {
  readonly profiles: ProfileReader;
}

export function joinRoutes(parts: JoinParts): Route[] {
  const { projects, joins, profiles } = parts;
  return [
    route('GET /v1/admin/projects/{id}/joins', ADMIN, async (_, { path }) => {
      const { id, join_ids } = await findProject(projects, path.id);
      const { joined, shared, unseen, usersAtLimit, mostShared } = await profiles.countJoins(id);
      const most_shared = mostShared.map(({ anonymousId: anonymous_id, users }) => ({ anonymous_id, users }));
      const decided = await joins.count(id);
      const body = { join_ids, joined, shared, unseen, users_at_limit: usersAtLimit, decided, most_shared };
      return { status: 200, body: JSON.stringify(body) };
    }),
    route('GET /v1/admin/projects/{id}/joins/{anonymous_id}', ADMIN, async (_, { path }) => {
      const { id } = await findProject(projects, path.id);
      return { status: 200, body: JSON.stringify(await joinJson(parts, id, path.anonymous_id)) };
    }),
    routeWithBody('PUT /v1/admin/projects/{id}/joins/{anonymous_id}', ADMIN_BODY, async (call, body, { path }) => {
      const { says, user_id: userId } = body;
      if ((says === 'join') !== (userId !== undefined))
        return refuseBody([{ path: '/user_id', message: 'stands beside "says": "join", and never otherwise' }]).refusal;
      const { id: projectId } = await findProject(projects, path.id);
      const anonymousId = path.anonymous_id;
      const before = JSON.stringify(await joinJson(parts, projectId, anonymousId));
      await joins.decide({
        projectId,
        userKey: anonymousKeyOf(projectId, anonymousId),
        anonymousId,
        says,
        personKey: userId === undefined ? null : userKeyOf(projectId, userId),
        decidedBy: principalOf(call),
      });
      const after = JSON.stringify(await joinJson(parts, projectId, anonymousId));
      const audit = { action: 'join.decide', object: anonymousId, project: projectId, before, after };
      return { status: 200, body: after, audit };
    }),
  ];
}

async function joinJson({ joins, profiles }: JoinParts, projectId: string, anonymousId: string): Promise<object> {
  const userKey = anonymousKeyOf(projectId, anonymousId);
  const found = await joins.find(projectId, userKey);
  const decision = found === undefined || found.says === 'rule' ? undefined : found;
  const sighted = await profiles.sightedId(projectId, anonymousId);
  const state = joinStateOf(anonymousId, decision, sighted);
  const personKey = decision === undefined ? sighted.onlyUser : decision.personKey;
  const user = state !== 'joined' || personKey === null ? null : await profiles.find(projectId, personKey);
  return {
    anonymous_id: anonymousId,
    internal_id: userKey,
    state,
    user: user === null ? null : { user_id: user?.userId ?? null, internal_id: personKey },
    users: sighted.users,
    since: sighted.since && formatMicros(sighted.since),
    decision: decision === undefined ? null : decisionJson(decision),
  };
}

function joinStateOf(anonymousId: string, decision: JoinDecision | undefined, { users }: SightedId): string {
  if (decision !== undefined) return decision.says === 'join' ? 'joined' : 'apart';
  if (isPlaceholder(anonymousId)) return 'placeholder';
  if (users === 0) return 'unseen';
  return users === 1 ? 'joined' : 'shared';
}

function decisionJson({ says, decidedAt, decidedBy }: JoinDecision): object {
  return { says, decided_at: formatMicros(decidedAt), decided_by: decidedBy };
}
