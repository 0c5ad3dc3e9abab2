import type { Route } from '../../http/route.ts';
import { route } from '../input.ts';
import { limitedTo, type Limited, READ } from '../route-parts.ts';
import { answerExport, type ExportParts } from './export.ts';
import { answerUsers } from './search.ts';
import { answerTraitHistory } from './trait-history.ts';
import { answerUserAudiences } from './user-audiences.ts';
import { answerEvents, answerOtherEvents, answerProfile } from './users.ts';

/** Exports of users: each may have 16 MB of a page in memory. */
const OPEN_EXPORTS = 8;

type UserRouteParts = Parameters<typeof answerUsers>[0] & Parameters<typeof answerUserAudiences>[0] & ExportParts;

/** All that is read of users, and their events. */
export function userRoutes(parts: UserRouteParts, question: Limited, { admitWhole }: Limited): Route[] {
  const ask = { ...READ, ...question };
  const page = { ...READ, admitWhole };
  const exported = { ...READ, ...limitedTo(OPEN_EXPORTS) };
  // A trait may have an empty name, which a parameter of a path may not be.
  const history = { ...ask, aliases: ['/v1/users/:user_id/traits//history'] };
  return [
    route('GET /v1/users', page, (call, input) => answerUsers(parts, call, input)),
    route('GET /v1/events', page, (call, input) => answerOtherEvents(parts, call, input)),
    route('GET /v1/users/{user_id}', READ, (call, input) => answerProfile(parts, call, input)),
    route('GET /v1/users/{user_id}/events', page, (call, input) => answerEvents(parts, call, input)),
    route('GET /v1/users/{user_id}/audiences', ask, (call, input) => answerUserAudiences(parts, call, input)),
    route('GET /v1/users/{user_id}/export', exported, (call, input) => answerExport(parts, call, input)),
    route('GET /v1/users/{user_id}/traits/{name}/history', history, (call, input) =>
      answerTraitHistory(parts, call, input),
    ),
  ];
}
