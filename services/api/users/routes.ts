import type { OperationName } from '../../../schemas/operations.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer, Route } from '../../http/route.ts';
import { type How, type Input, route } from '../input.ts';
import { type MembershipRouteParts, membershipRoutes } from '../memberships/routes.ts';
import { DEFINED, limitedTo, type Limited, READ } from '../route-parts.ts';
import { answerExport, type ExportParts } from './export.ts';
import { answerUsersQuery } from './list.ts';
import { answerMessages } from './messages.ts';
import { answerUsers } from './search.ts';
import { userKeyOfPath } from './named-user.ts';
import { namedStores, refusalNamingPart } from './store-parts.ts';
import { answerTimeline } from './timeline.ts';
import { answerTraitHistory } from './trait-history.ts';
import { answerUserAudiences } from './user-audiences.ts';
import { answerActivity, answerEvents, answerOtherEvents, answerProfile } from './users.ts';

/** Exports of users: each may have 16 MB of a page in memory. */
const OPEN_EXPORTS = 8;

export type UserRouteParts = Parameters<typeof answerUsers>[0] &
  Parameters<typeof answerUserAudiences>[0] &
  Parameters<typeof answerUsersQuery>[0] &
  MembershipRouteParts &
  ExportParts;

/** All that is read of users, and their events. */
export function userRoutes(parts: UserRouteParts, question: Limited, { admitWhole }: Limited): Route[] {
  const stores = namedStores(parts);
  const read = { ...READ, refusalOf: refusalNamingPart };
  const ask = { ...read, ...question };
  const page = { ...read, admitWhole };
  const exported = { ...read, ...limitedTo(OPEN_EXPORTS) };
  // A trait may have an empty name, which a parameter of a path may not be.
  const history = { ...ask, aliases: ['/v1/users/:user_id/traits//history'] };
  const ofUser = <Name extends OfUser>(name: Name, how: How, answer: AnswerOfUser<Name>): Route =>
    route(name, how, (call, input) => {
      const user = userKeyOfPath(call.project, input);
      return user.ok ? answer(stores, call, user.value, input) : user.refusal;
    });
  return [
    route('GET /v1/users', page, (call, input) => answerUsers(stores, call, input)),
    route('POST /v1/users/query', { ...DEFINED, ...question }, (call) => answerUsersQuery(parts, call)),
    route('GET /v1/messages/{message_id}', ask, (call, input) => answerMessages(stores, call, input)),
    route('GET /v1/events', page, (call, input) => answerOtherEvents(stores, call, input)),
    ofUser('GET /v1/users/{user_id}', read, answerProfile),
    ofUser('GET /v1/users/{user_id}/events', page, answerEvents),
    ofUser('GET /v1/users/{user_id}/activity', ask, answerActivity),
    ofUser('GET /v1/users/{user_id}/timeline', ask, answerTimeline),
    ofUser('GET /v1/users/{user_id}/audiences', ask, answerUserAudiences),
    ...membershipRoutes(parts),
    ofUser('GET /v1/users/{user_id}/export', exported, answerExport),
    ofUser('GET /v1/users/{user_id}/traits/{name}/history', history, answerTraitHistory),
  ];
}

type OfUser = Extract<OperationName, `GET /v1/users/{user_id}${string}`>;

type AnswerOfUser<Name extends OfUser> = (
  stores: UserRouteParts,
  call: Call,
  userKey: string,
  input: Input<Name>,
) => Promise<Answer | Refusal>;
