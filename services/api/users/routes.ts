import type { Route } from '../../http/route.ts';
import { route } from '../input.ts';
import { type MembershipRouteParts, membershipRoutes } from '../memberships/routes.ts';
import { DEFINED, limitedTo, type Limited, READ } from '../route-parts.ts';
import { answerExport, type ExportParts } from './export.ts';
import { answerActivity } from './activity.ts';
import { answerUsersQuery } from './list.ts';
import { answerMessages } from './messages.ts';
import { answerUsers } from './search.ts';
import { answerTimeline } from './timeline.ts';
import { answerTraitHistory } from './trait-history.ts';
import { answerUserAudiences } from './user-audiences.ts';
import { answerEvents, answerOtherEvents, answerProfile } from './users.ts';

/** Exports of users: each may have 16 MB of a page in memory. */
const OPEN_EXPORTS = 8;

export type UserRouteParts = Parameters<typeof answerUsers>[0] &
  Parameters<typeof answerUserAudiences>[0] &
  Parameters<typeof answerUsersQuery>[0] &
  MembershipRouteParts &
  ExportParts;

/** All that is read of users, and their events. */
export function userRoutes(parts: UserRouteParts, question: Limited, { admitWhole }: Limited): Route[] {
  const ask = { ...READ, ...question };
  const page = { ...READ, admitWhole };
  const exported = { ...READ, ...limitedTo(OPEN_EXPORTS) };
  // A trait may have an empty name, which a parameter of a path may not be.
  const history = { ...ask, aliases: ['/v1/users/:user_id/traits//history'] };
  return [
    route('GET /v1/users', page, (call, input) => answerUsers(parts, call, input)),
    route('POST /v1/users/query', { ...DEFINED, ...question }, (call) => answerUsersQuery(parts, call)),
    route('GET /v1/messages/{message_id}', ask, (call, input) => answerMessages(parts, call, input)),
    route('GET /v1/events', page, (call, input) => answerOtherEvents(parts, call, input)),
    route('GET /v1/users/{user_id}', READ, (call, input) => answerProfile(parts, call, input)),
    route('GET /v1/users/{user_id}/events', page, (call, input) => answerEvents(parts, call, input)),
    route('GET /v1/users/{user_id}/activity', ask, (call, input) => answerActivity(parts, call, input)),
    route('GET /v1/users/{user_id}/timeline', ask, (call, input) => answerTimeline(parts, call, input)),
    route('GET /v1/users/{user_id}/audiences', ask, (call, input) => answerUserAudiences(parts, call, input)),
    ...membershipRoutes(parts),
    route('GET /v1/users/{user_id}/export', exported, (call, input) => answerExport(parts, call, input)),
    route('GET /v1/users/{user_id}/traits/{name}/history', history, (call, input) =>
      answerTraitHistory(parts, call, input),
    ),
  ];
}
